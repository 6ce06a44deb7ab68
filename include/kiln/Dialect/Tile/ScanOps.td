// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and other operations that relate elements of a tile.
#ifndef KILN_DIALECT_TILE_SCANOPS_TD
#define KILN_DIALECT_TILE_SCANOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_ScanOp : Tile_Op<"scan", [
    Pure, SameVariadicOperandSize, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Inclusive prefix combination along a dimension";
  let description = [{
    result[i] combines source[0], ..., source[i] along `axis` (from the end with `reverse`).
    The region takes the prefix (of every source), then the next element (of every source);
    it is taken to be associative: the grouping is unspecified, the order of operands is not.
    Example:
    ```mlir
    %s = tile.scan %t axis 0 : tensor<64xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$sources, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sources `axis` $axis (`reverse` $reverse^)? attr-dict
    `:` type($sources) `->` type($results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure]> {
  let summary = "Counts the values of an integer tile";
  let description = [{
    result[v] = how many enabled elements equal v, for v in [0, size); other values are not
    counted.
    Example: `%h = tile.histogram %t : tensor<256xi32> -> tensor<16xi32>`.
  }];
  let arguments = (ins Tile_IntTile:$source, Optional<StaticShapeTensorOf<[I1]>>:$mask);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$source (`mask` $mask^ `:` type($mask))? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "Reads elements of a tile by index along a dimension";
  let description = [{
    result[..., i, ...] = source[..., indices[..., i, ...], ...] along `axis`. Indices have the
    source's rank and agree with it in every other dimension; one outside of [0, size) is
    undefined behaviour that `reference` reports.
    Example: `%r = tile.gather %t by %i axis 0 : tensor<64xf32>, tensor<32xi32> -> tensor<32xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$source, Tile_IntTile:$indices, I64Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `by` $indices `axis` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SortOp : Tile_Op<"sort", [Pure, SameOperandsAndResultType]> {
  let summary = "Sorts along a dimension";
  let description = [{
    Ascending, or descending with `descending`. Floats follow IEEE 754 totalOrder on the absence of
    NaN; NaN comes last. Integers are signed.
    Example: `%s = tile.sort %t axis 0 : tensor<64xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$source, I64Attr:$axis, UnitAttr:$descending);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `axis` $axis (`descending` $descending^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Interleaves two tiles along a new last dimension";
  let description = [{
    result[..., 0] = lhs, result[..., 1] = rhs.
    Example: `%j = tile.join %a, %b : tensor<64xf32> -> tensor<64x2xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$lhs, Tile_AnyTile:$rhs);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["first", "second"]>]> {
  let summary = "Splits a last dimension of size 2";
  let description = [{
    first = source[..., 0], second = source[..., 1].
    Example: `%a, %b = tile.split %j : tensor<64x2xf32> -> tensor<64xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$first, Tile_AnyTile:$second);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($first)";
  let hasVerifier = 1;
}

#endif
