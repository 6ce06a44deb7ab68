// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of tiles.
#ifndef KILN_DIALECT_TILE_REDUCEOPS_TD
#define KILN_DIALECT_TILE_REDUCEOPS_TD

include "kiln/Dialect/Tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_ReduceOp : Tile_Op<"reduce", [
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Combines the elements along a dimension";
  let description = [{
    Removes dimension `axis` of every source. The region combines two elements (of
    every source: first all left ones, then all right ones) and is taken to be
    associative and commutative, so that the order is unspecified, unless `ordered`,
    where it is a left fold by ascending index. There is no initial value; a
    dimension has at least one element. Several sources have the same shape and are
    reduced together (argmax: value and index).

    Example:
    ```mlir
    %s = tile.reduce %t axis 1 : tensor<8x128xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$sources, I64Attr:$axis, UnitAttr:$ordered);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sources `axis` $axis (`ordered` $ordered^)? attr-dict
    `:` type($sources) `->` type($results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
