// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix multiplication of tiles.
#ifndef KILN_DIALECT_TILE_DOTOPS_TD
#define KILN_DIALECT_TILE_DOTOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/Cost.td"
include "kiln/Interfaces/IndexMap.td"
include "kiln/Interfaces/MatrixProduct.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getNumSummedDims", "getIndexMap"]>,
    DeclareOpInterfaceMethods<MatrixProductOpInterface, ["getAccOperand", "getProductPrecision",
      "setProductPrecision", "isLhsUnsigned", "isRhsUnsigned", "getImpreciseTerms"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface, ["areZerosNeutral"]>,
    DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "Matrix product plus accumulator";
  let description = [{
    result[b, m, n] = acc[b, m, n] + sum over k of lhs[b, m, k] * rhs[b, k, n];
    the leading batch dimension b is optional (rank 2 or 3).

    - `lhs`, `rhs`: the factors; `acc`: what the products are added to; `result`: the sum.
    - `input_precision`: how f32 factors are read. `ieee` (the default) uses all bits, `tf32` drops
      all but 10 bits of the mantissa, the others stand for sums of products of parts and may use all
      bits.
    - `lhs_unsigned`, `rhs_unsigned`: the integers of that factor are unsigned.
    - `max_imprecise_acc`: so many products of 8-bit floats that follow each other along k may be
      summed with 13 bits of fraction before their sum is added to the rest; 0, the default, for none.
      Other factors are summed as if it were 0.

    Constraints:
    - (C1) All tiles have rank 2, or all have rank 3.
    - (C2) Batch sizes agree.
    - (C3) The shapes are m x k, k x n and m x n.
    - (C4) Both factors are floats, each of its own type, or both are integers.
    - (C5) Floats: the accumulator is f16, bf16, f32 or f64 and at least as wide as each factor.
    - (C6) `input_precision` other than `ieee` is for two f32 factors.
    - (C7) Signedness is for integers.
    - (C8) Integer factors are i8, i16 or i32, each its own.
    - (C9) Integers: the accumulator is i32 or i64.
    - (C10) `input_precision` is for floats.
    - (C11) `max_imprecise_acc` is not negative.

    Numerics: products are exact in the accumulator's type or wider, or rounded once to it; the order
    of the sum is unspecified, and it may be rounded to the accumulator's type at each step.
    |error| <= c * (K * eps(acc) + I * 2^-13) * (sum |lhs * rhs| + |acc|) where I is the smaller of K and
    `max_imprecise_acc`, for 8-bit factors. Integers wrap.

    Since: 0.1.

    Example:
    ```mlir
    %d = tile.dot %a, %b, %acc : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<64x128xf32>
    %e = tile.dot %x, %y, %z precision tf32 : tensor<2x64x32xf32>, tensor<2x32x128xf32>, tensor<2x64x128xf32>
    %f = tile.dot %p, %q, %r {max_imprecise_acc = 64 : i64}
       : tensor<64x32xf8E4M3FN>, tensor<32x128xf8E5M2>, tensor<64x128xf32>
    %g = tile.dot %s, %t, %u lhs_unsigned : tensor<64x32xi8>, tensor<32x128xi8>, tensor<64x128xi32>
    ```
  }];
  let arguments = (ins
    Tile_NumberTile:$lhs, Tile_NumberTile:$rhs, Tile_NumberTile:$acc,
    DefaultValuedAttr<Tile_InputPrecision, "::kiln::tile::InputPrecision::ieee">:$input_precision,
    UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned,
    DefaultValuedAttr<I64Attr, "0">:$max_imprecise_acc);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` $input_precision^)?
    (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif
