// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over dimensions.
#ifndef KILN_DIALECT_PRIM_REDUCTIONOPS_TD
#define KILN_DIALECT_PRIM_REDUCTIONOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/Accumulation.td"

/// Reduces over `dims`, which disappear from the shape. Constraints C1 to C3 are those of each
/// reduction.
class Prim_ReductionOp<string mnemonic, Type type, list<Trait> traits = []> : Prim_Op<mnemonic, !listconcat([Pure], traits)> {
  let arguments = (ins type:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs type:$result);
  let assemblyFormat = "$operand `dims` $dims attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Prim_SumOp : Prim_ReductionOp<"sum", Prim_NumberTensor, [DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Sum over dimensions";
  let description = [{
    Floats are added in f32 or wider, in any order, and rounded to the element type at the end;
    |error| <= c * n * eps * sum |x|. Integers wrap. The sum of nothing is 0.

    Constraints:
    - (C1) `dims` are distinct dimensions of the operand.
    - (C2) Operand and result have the same element type.
    - (C3) The result has the other dimensions of the operand, in order.

    Example: `%r = prim.sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>`.
  }];
}

def Prim_ProdOp : Prim_ReductionOp<"prod", Prim_NumberTensor, [DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Product over dimensions";
  let description = [{
    Floats are multiplied in f32 or wider, in any order, and rounded to the element type at the end;
    |error| <= c * n * eps * |product|. Integers wrap. The product of nothing is 1.

    Constraints:
    - (C1) `dims` are distinct dimensions of the operand.
    - (C2) Operand and result have the same element type.
    - (C3) The result has the other dimensions of the operand, in order.

    Example: `%r = prim.prod %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>`.
  }];
}

def Prim_AmaxOp : Prim_ReductionOp<"amax", Prim_Tensor, [ExactResult]> {
  let summary = "Largest element over dimensions";
  let description = [{
    As `prim.maximum`: NaN wins. i1: any. Of nothing: minus infinity or the smallest value. Exact.

    Constraints:
    - (C1) `dims` are distinct dimensions of the operand.
    - (C2) Operand and result have the same element type.
    - (C3) The result has the other dimensions of the operand, in order.

    Example: `%r = prim.amax %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>`.
  }];
}

def Prim_AminOp : Prim_ReductionOp<"amin", Prim_Tensor, [ExactResult]> {
  let summary = "Smallest element over dimensions";
  let description = [{
    As `prim.minimum`: NaN wins. i1: all. Of nothing: plus infinity or the largest value. Exact.

    Constraints:
    - (C1) `dims` are distinct dimensions of the operand.
    - (C2) Operand and result have the same element type.
    - (C3) The result has the other dimensions of the operand, in order.

    Example: `%r = prim.amin %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>`.
  }];
}

def Prim_ArgmaxOp : Prim_Op<"argmax", [Pure]> {
  let summary = "Index of the largest element along a dimension";
  let description = [{
    The first of equals; the first NaN if there is one (with `ignore_nan` a NaN is smaller than
    every number). `dim` disappears from the shape. Integers are signed.

    Constraints:
    - (C1) `dim` is a dimension of the operand.
    - (C2) The dimension is not empty.
    - (C3) The result has element type i32 or i64.
    - (C4) `ignore_nan` is for floats.
    - (C5) The result has the other dimensions of the operand, in order.

    Example: `%r = prim.argmax %x dim 1 : tensor<4x8xf32> -> tensor<4xi32>`.
  }];
  let arguments = (ins Prim_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$ignore_nan);
  let results = (outs Prim_IntTensor:$result);
  let assemblyFormat = "$operand `dim` $dim (`ignore_nan` $ignore_nan^)? attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Prim_ArgminOp : Prim_Op<"argmin", [Pure]> {
  let summary = "Index of the smallest element along a dimension";
  let description = [{
    The first of equals; the first NaN if there is one (with `ignore_nan` a NaN is larger than
    every number). Composite:
    `argmax` of the negated operand. `dim` disappears from the shape. Integers are signed.

    Constraints:
    - (C1) `dim` is a dimension of the operand.
    - (C2) The dimension is not empty.
    - (C3) The result has element type i32 or i64.
    - (C4) `ignore_nan` is for floats.
    - (C5) The result has the other dimensions of the operand, in order.

    Example: `%r = prim.argmin %x dim 1 : tensor<4x8xf32> -> tensor<4xi32>`.
  }];
  let arguments = (ins Prim_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$ignore_nan);
  let results = (outs Prim_IntTensor:$result);
  let assemblyFormat = "$operand `dim` $dim (`ignore_nan` $ignore_nan^)? attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

#endif
