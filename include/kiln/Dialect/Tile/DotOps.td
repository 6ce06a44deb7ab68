// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix multiplication of tiles.
#ifndef KILN_DIALECT_TILE_DOTOPS_TD
#define KILN_DIALECT_TILE_DOTOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/Accumulation.td"
include "kiln/Interfaces/Cost.td"
include "kiln/Interfaces/IndexMap.td"
include "kiln/Interfaces/MatrixProduct.td"
include "kiln/Interfaces/ProductSplit.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getNumSummedDims", "getIndexMap"]>,
    DeclareOpInterfaceMethods<MatrixProductOpInterface, ["getAccOperand", "getProductPrecision",
      "setProductPrecision", "isLhsUnsigned", "isRhsUnsigned", "getImpreciseTerms"]>,
    ProductSplitOpInterface,
    DeclareOpInterfaceMethods<AccumulationOpInterface, ["areZerosNeutral"]>,
    DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "Matrix product plus accumulator";
  let description = [{
    result[b, m, n] = acc[b, m, n] + sum over k of lhs[b, m, k] * rhs[b, k, n];
    the leading batch dimension b is optional (rank 2 or 3).

    - `lhs`, `rhs`: the operands of the matmul; `acc`: the accumulator; `result`: the new accumulator.
    - `input_precision`: how f32 operands are read. `ieee` (the default) uses all bits, `tf32` drops
      all but 10 bits of the mantissa, the others stand for sums of products of parts and may use all
      bits.
    - `lhs_unsigned`, `rhs_unsigned`: the integers of that operand are unsigned.
    - `max_imprecise_acc`: up to this number of products of 8-bit floats that follow each other along k may be
      summed with 13 bits of fraction before their sum is added to the rest; 0, the default, for none.
      Operands of other types are summed as if it were 0.
    - `split`: how a code generator splits the matmul into blocks, such as `#cpu.product`; not in programs that users write.

    Constraints:
    - (C1) All tiles have rank 2, or all have rank 3.
    - (C2) Batch sizes agree.
    - (C3) The shapes are m x k, k x n and m x n.
    - (C4) Both operands are floats, each of its own type, or both are integers.
    - (C5) Floats: the accumulator is f16, bf16, f32 or f64 and at least as wide as each operand.
    - (C6) `input_precision` other than `ieee` is for two f32 operands.
    - (C7) Signedness is for integers.
    - (C8) Integer operands are i8, i16 or i32, each its own.
    - (C9) Integers: the accumulator is i32 or i64.
    - (C10) `input_precision` is for floats.
    - (C11) `max_imprecise_acc` is not negative.
    - (C12) `split` fits the matmul, as its own definition says.

    Numerics: products are exact in the accumulator's type or wider, or rounded once to it; the order
    of the sum is unspecified, and it may be rounded to the accumulator's type at each step.
    |error| <= c * (K * eps(acc) + I * 2^-13) * (sum |lhs * rhs| + |acc|) where I is the smaller of K and
    `max_imprecise_acc`, for 8-bit operands. Integers wrap.

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
    DefaultValuedAttr<I64Attr, "0">:$max_imprecise_acc,
    OptionalAttr<ProductSplitAttr>:$split);
  let results = (outs Tile_NumberTile:$result);
  let useCustomPropertiesEncoding = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$lhs, "::mlir::Value":$rhs, "::mlir::Value":$acc,
    CArg<"::kiln::tile::InputPrecision", "::kiln::tile::InputPrecision::ieee">:$input_precision,
    CArg<"bool", "false">:$lhs_unsigned, CArg<"bool", "false">:$rhs_unsigned, CArg<"uint64_t", "0">:$max_imprecise_acc), [{
    build($_builder, $_state, result, lhs, rhs, acc, input_precision, lhs_unsigned, rhs_unsigned, max_imprecise_acc, {});
  }]>];
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` $input_precision^)?
    (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Tile_DotScaledOp : Tile_Op<"dot_scaled", [Pure, AttrSizedOperandSegments,
    AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getNumSummedDims", "getIndexMap"]>,
    DeclareOpInterfaceMethods<MatrixProductOpInterface, ["getAccOperand", "getLhsScaleOperand",
      "getRhsScaleOperand", "hasEncodedFactors"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface, ["areZerosNeutral"]>,
    DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "Matrix product of operands with a scale for each block of elements, plus accumulator";
  let description = [{
    result[b, m, n] = acc[b, m, n]
      + sum over k of (lhs[b, m, k] * lhs_scale[b, m, k / P]) * (rhs[b, k, n] * rhs_scale[b, n, k / Q]);
    the leading batch dimension b is optional (rank 2 or 3). P and Q, the sizes of blocks, are the size of
    k divided by that of the last dimension of the scales: 32 for e8m0 and 16 for e4m3 on most machines.

    - `lhs`, `rhs`: the operands of the matmul; `acc`: the accumulator; `result`: the new accumulator.
    - `lhs_format`, `rhs_format`: the format of the elements. `e2m1` (values 0, 0.5, 1, 1.5, 2, 3, 4, 6): two to
      a byte, the first one in the low half. `e2m3`, `e3m2`: floats of 6 bits without infinities and NaN, in
      the low bits of a byte each, the others unspecified. `e4m3`, `e5m2`: f8E4M3FN and f8E5M2, or bytes
      with their bits. `bf16`, `fp16`: those types.
    - `lhs_k_pack`, `rhs_k_pack`: whether the two elements in a byte follow each other along k, as they do
      by default, or along m or n.
    - `lhs_scale`, `rhs_scale`: the scales; without them all are 1. i8 and f8E8M0FNU hold a power of two,
      2^(bits - 127), with NaN for 255; f8E4M3FN holds the scale itself.
    - `fast_math`: the result of a scale of NaN is unspecified.

    Constraints:
    - (C1) All operands, scales and the accumulator have rank 2, or all have rank 3.
    - (C2) Batch sizes agree.
    - (C3) The operands are m x k and k x n, two elements in a byte counted as two, and the accumulator is
      m x n.
    - (C4) Operands hold bytes, or floats of their format.
    - (C5) The scales are m x (k / P) and n x (k / Q).
    - (C6) Scales are i8, f8E8M0FNU or f8E4M3FN.
    - (C7) The accumulator is f32.
    - (C8) Only `e2m1` is packed along another dimension than k.

    Numerics: an element times its scale is rounded to f32, which is exact unless it over- or underflows.
    Then as for `tile.dot` of f32 operands.

    Since: 0.2.

    Example:
    ```mlir
    %d = tile.dot_scaled %a e2m1 scale %sa, %b e4m3 scale %sb, %acc
       : tensor<64x32xi8> scale tensor<64x2xi8>, tensor<64x128xf8E4M3FN> scale tensor<128x2xi8>, tensor<64x128xf32>
    %e = tile.dot_scaled %x bf16, %y e2m1 scale %sy, %z {rhs_k_pack = false}
       : tensor<64x32xbf16>, tensor<32x64xi8> scale tensor<128x1xf8E8M0FNU>, tensor<64x128xf32>
    ```
  }];
  let arguments = (ins
    Tile_NumberTile:$lhs, Tile_NumberTile:$rhs, Tile_NumberTile:$acc,
    Optional<Tile_NumberTile>:$lhs_scale, Optional<Tile_NumberTile>:$rhs_scale,
    Tile_ScaledFormat:$lhs_format, Tile_ScaledFormat:$rhs_format,
    DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack, DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack,
    UnitAttr:$fast_math);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = [{
    $lhs $lhs_format (`scale` $lhs_scale^)? `,` $rhs $rhs_format (`scale` $rhs_scale^)? `,` $acc
    (`fast_math` $fast_math^)? attr-dict
    `:` type($lhs) (`scale` type($lhs_scale)^)? `,` type($rhs) (`scale` type($rhs_scale)^)? `,` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many elements there are along the summed dimension.
    int64_t getDepth();
    /// Elements of an operand that share a byte: 2 along the dimension that they are packed along.
    static int64_t getPacked(ScaledFormat format) { return format == ScaledFormat::e2m1 ? 2 : 1; }
  }];
}

#endif
