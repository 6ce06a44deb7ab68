// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix multiplication of tiles.
#ifndef KILN_DIALECT_TILE_DOTOPS_TD
#define KILN_DIALECT_TILE_DOTOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product plus accumulator";
  let description = [{
    result[b, m, n] = acc[b, m, n] + sum over k of lhs[b, m, k] * rhs[b, k, n];
    the leading batch dimension b is optional (rank 2 or 3).

    Floats: lhs and rhs share a float type; the accumulator type is at least as
    wide (f32 for f16, bf16 and f32; f64 for f64). Products are exact in the
    accumulator's type or wider, or rounded once to it; the order of the sum is
    unspecified. |error| <= c * K * eps(acc) * sum |lhs * rhs| + |acc| eps.
    `input_precision` says how f32 operands are read: `ieee` (the default) uses
    all bits, `tf32` drops all but 10 bits of the mantissa, the others stand for
    sums of products of parts and may use all bits.

    Integers: lhs and rhs are i8 or i16 or i32, each signed unless `lhs_unsigned` /
    `rhs_unsigned`; the accumulator is i32 or i64 and wraps.

    Example:
    ```mlir
    %d = tile.dot %a, %b, %acc : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<64x128xf32>
    ```
  }];
  let arguments = (ins
    Tile_AnyTile:$lhs, Tile_AnyTile:$rhs, Tile_AnyTile:$acc,
    DefaultValuedAttr<Tile_InputPrecision, "::kiln::tile::InputPrecision::ieee">:$input_precision,
    UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` $input_precision^)?
    (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif
