// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products.
#ifndef KILN_DIALECT_PRIM_MATMULOPS_TD
#define KILN_DIALECT_PRIM_MATMULOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/Accumulation.td"

def Prim_DotGeneralOp : Prim_Op<"dot_general", [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Products summed over contracted dimensions";
  let description = [{
    Batch dimensions of both operands are matched in order, contracted dimensions are
    matched and summed. Result dimensions: batch, then the other dimensions of lhs, then
    those of rhs. The element type of the result is the type of the sum: f32 for f16,
    bf16 and f32 operands (or the operands' own type, then still summed in f32 and rounded once at
    the end), f64 for f64, i32 or i64 for integers, which are signed and wrap.
    |error| <= c * K * eps * sum |lhs * rhs|, in any order; the sum of nothing is 0. `precision tf32`
    allows f32 operands to be rounded to 10 bits of mantissa first.

    `imprecise n`, for 8-bit float operands: up to n products that follow each other in the sum may be added with 14
    significant bits, as matrix units do, before they are added to the sum. Each of these may err by
    2^-14 of the sum of their magnitudes. 0, the default: all are added as the type of the sum says.

    Constraints:
    - (C1) There are as many batch and as many contracted dimensions on both sides.
    - (C2) On each side they are distinct dimensions.
    - (C3) Matched dimensions have the same size.
    - (C4) Floats: both operands have the same element type, the result has it, or f32 for narrower
      ones. Integers: the result is i32, or i64, which i64 operands need.
    - (C5) `tf32` is for f32 operands.
    - (C6) The result has the batch, lhs and rhs dimensions.
    - (C7) `imprecise` is not negative, and for operands of 8-bit floats.

    Example:
    ```mlir
    %r = prim.dot_general %a, %b batch [0] x [0] contract [2] x [1]
      : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<2x4x16xf32>
    ```
  }];
  let arguments = (ins Prim_NumberTensor:$lhs, Prim_NumberTensor:$rhs,
    DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch,
    DenseI64ArrayAttr:$lhs_contract, DenseI64ArrayAttr:$rhs_contract,
    DefaultValuedAttr<Prim_Precision, "::kiln::prim::Precision::ieee">:$precision,
    DefaultValuedAttr<I64Attr, "0">:$imprecise);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `batch` $lhs_batch `x` $rhs_batch `contract` $lhs_contract `x` $rhs_contract
    (`precision` $precision^)? (`imprecise` $imprecise^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$lhs, "::mlir::Value":$rhs,
    "::llvm::ArrayRef<int64_t>":$lhs_batch, "::llvm::ArrayRef<int64_t>":$rhs_batch,
    "::llvm::ArrayRef<int64_t>":$lhs_contract, "::llvm::ArrayRef<int64_t>":$rhs_contract, "::kiln::prim::Precision":$precision), [{
    build($_builder, $_state, result, lhs, rhs, lhs_batch, rhs_batch, lhs_contract, rhs_contract, precision, /*imprecise=*/0);
  }]>];
  let hasVerifier = 1;
}

#endif
