// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and other operations that relate elements of a tile.
#ifndef KILN_DIALECT_TILE_SCANOPS_TD
#define KILN_DIALECT_TILE_SCANOPS_TD

include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/Accumulation.td"
include "kiln/Interfaces/IndexMap.td"
include "kiln/Interfaces/OrdersElements.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_ScanOp : Tile_Op<"scan", [
    Pure, SameVariadicOperandSize, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">, InferTypeOpAdaptorWithIsCompatible,
    DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Inclusive prefix combination along a dimension";
  let description = [{
    result[i] combines source[0], ..., source[i] along a dimension.

    - `sources`: tiles that are scanned together; `results`: one for each, of its shape.
    - `axis`: the dimension.
    - `reverse`: prefixes start at the end.
    - `combiner`: takes the prefix (of every source), then the next element (of every source). It is
      taken to be associative: the grouping is unspecified, the order of operands is not.

    Constraints:
    - (C1) There is at least one source, and a result of its shape and element type for each.
    - (C2) Sources have one shape.
    - (C3) The dimension exists.
    - (C4) The region takes a prefix and an element of every source and yields a prefix.

    Numerics: as `tile.reduce` of each prefix.

    Since: 0.1.

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
    result[v] = how many enabled elements equal v, for v in [0, size); other values are not counted.

    - `source`: the values, read as signed.
    - `mask`: which of them count; all of them without it.
    - `result`: the counts. They wrap.

    Constraints:
    - (C1) The result has rank 1.
    - (C2) The mask has the shape of the source.

    Since: 0.1.

    Example:
    ```mlir
    %h = tile.histogram %t : tensor<256xi32> -> tensor<16xi32>
    %i = tile.histogram %t mask %m : tensor<256xi1> : tensor<256xi32> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins Tile_IntTile:$source, Optional<Tile_BoolTile>:$mask);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$source (`mask` $mask^ `:` type($mask))? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure, ExactResult, InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "Reads elements of a tile by index along a dimension";
  let description = [{
    result[..., i, ...] = source[..., indices[..., i, ...], ...] along a dimension. An index outside
    of [0, size) is undefined behaviour that `reference` reports.

    - `source`: the tile that is read.
    - `indices`: the index of each element along the dimension, signed.
    - `axis`: the dimension.
    - `result`: the elements of the source at these indices.

    Constraints:
    - (C1) The dimension exists.
    - (C2) Indices have the rank of the source.
    - (C3) They have its sizes in every other dimension.
    - (C4) The result has the shape of the indices and the element type of the source.

    Since: 0.1.

    Example:
    ```mlir
    %r = tile.gather %t by %i axis 0 : tensor<64xf32>, tensor<32xi32> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$source, Tile_IntTile:$indices, I64Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `by` $indices `axis` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SortOp : Tile_Op<"sort", [Pure, ExactResult, OrdersElements, SameOperandsAndResultType]> {
  let summary = "Sorts along a dimension";
  let description = [{
    - `source`: the tile; `result`: the same elements, ascending along a dimension.
    - `axis`: the dimension.
    - `descending`: the other way round.

    Constraints:
    - (C1) The dimension exists.

    Numerics: floats follow IEEE 754 totalOrder on the absence of NaN; NaN comes last. Integers are
    signed.

    Since: 0.1.

    Example:
    ```mlir
    %s = tile.sort %t axis 0 : tensor<64xf32>
    %d = tile.sort %t axis 0 descending : tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_NumberTile:$source, I64Attr:$axis, UnitAttr:$descending);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$source `axis` $axis (`descending` $descending^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_TopKOp : Tile_Op<"top_k", [Pure, ExactResult, OrdersElements, AllShapesMatch<["values", "indices"]>]> {
  let summary = "The first elements in sorted order along a dimension, and where they stood";
  let description = [{
    values[..., i, ...] = source[..., indices[..., i, ...], ...] is the element that `tile.sort` of the source, descending,
    has at i along a dimension. Of equal elements the one of the lower index comes first.

    - `source`: the tile.
    - `axis`: the dimension.
    - `smallest`: the order is ascending.
    - `values`: the elements; their size along the dimension says how many.
    - `indices`: where in the source they stood.

    Constraints:
    - (C1) The dimension exists.
    - (C2) Results have the rank of the source.
    - (C3) They have its sizes in every other dimension.
    - (C4) Their size along the dimension is at most that of the source.
    - (C5) Values have the element type of the source.
    - (C6) Every index along the dimension is a positive number of the indices' type, or 0.

    Numerics: the order is that of `tile.sort`: -0 is before +0 in the ascending one, and NaN comes last in both.

    Since: 0.2.

    Example:
    ```mlir
    %v, %i = tile.top_k %t axis 1 : tensor<16x64xf32> -> tensor<16x4xf32>, tensor<16x4xi32>
    %w, %j = tile.top_k %t axis 0 smallest : tensor<16x64xf32> -> tensor<1x64xf32>, tensor<1x64xi8>
    ```
  }];
  let arguments = (ins Tile_NumberTile:$source, I64Attr:$axis, UnitAttr:$smallest);
  let results = (outs Tile_NumberTile:$values, Tile_IntTile:$indices);
  let assemblyFormat = [{
    $source `axis` $axis (`smallest` $smallest^)? attr-dict `:` type($source) `->` type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, ExactResult, AllTypesMatch<["lhs", "rhs"]>,
    InferTypeOpAdaptorWithIsCompatible,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexMap", "movesElements"]>]> {
  let summary = "Interleaves two tiles along a new last dimension";
  let description = [{
    - `lhs`, `rhs`: the tiles.
    - `result`: result[..., 0] = lhs, result[..., 1] = rhs.

    Constraints:
    - (C1) The result has the shape of the operands with a last dimension of size 2, and their
      element type.

    Since: 0.1.

    Example:
    ```mlir
    %j = tile.join %a, %b : tensor<64xf32> -> tensor<64x2xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$lhs, Tile_AnyTile:$rhs);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, ExactResult, AllTypesMatch<["first", "second"]>,
    InferTypeOpAdaptorWithIsCompatible,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexMap", "movesElements"]>]> {
  let summary = "Splits a last dimension of size 2";
  let description = [{
    - `source`: the tile.
    - `first`, `second`: first = source[..., 0], second = source[..., 1].

    Constraints:
    - (C1) The source has the shape of the results with a last dimension of size 2, and their element
      type.

    Since: 0.1.

    Example:
    ```mlir
    %a, %b = tile.split %j : tensor<64x2xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$first, Tile_AnyTile:$second);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($first)";
  let hasVerifier = 1;
}

#endif
