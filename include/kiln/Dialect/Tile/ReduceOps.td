// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of tiles.
#ifndef KILN_DIALECT_TILE_REDUCEOPS_TD
#define KILN_DIALECT_TILE_REDUCEOPS_TD

include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/Accumulation.td"
include "kiln/Interfaces/IndexMap.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_ReduceOp : Tile_Op<"reduce", [
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">, InferTypeOpAdaptorWithIsCompatible,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getNumSummedDims", "getIndexMap"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface, ["areZerosNeutral"]>]> {
  let summary = "Combines the elements along a dimension";
  let description = [{
    Removes a dimension of every source. There is no initial value.

    - `sources`: tiles that are reduced together (argmax: value and index); `results`: one for each.
    - `axis`: the dimension that goes.
    - `combiner`: combines two elements (of every source: first all left ones, then all right ones).
      It is taken to be associative and commutative, so that the order is unspecified,
    - `ordered`: unless this is there: then it is a left fold by ascending index.

    Constraints:
    - (C1) There is at least one source, and one result for each.
    - (C2) The dimension exists and has at least one element.
    - (C3) Sources have one shape.
    - (C4) A result is its source without the dimension.
    - (C5) The region takes all left elements, then all right ones.
    - (C6) It yields one element for every source.

    Numerics: a sum of floats is bounded by |error| <= c * n * eps * sum |x|; a combiner that rounds
    nothing (a maximum, say) gives an exact result.

    Since: 0.1.

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
