// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans within segments.
#ifndef KILN_DIALECT_TILE_SEGMENTOPS_TD
#define KILN_DIALECT_TILE_SEGMENTOPS_TD

include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/Accumulation.td"
include "kiln/Interfaces/Composite.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_SegmentedScanOp : Tile_Op<"segmented_scan", [
    Pure, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<AccumulationOpInterface>,
    DeclareOpInterfaceMethods<CompositeOpInterface>]> {
  let summary = "Inclusive prefix combination within segments along a dimension";
  let description = [{
    result[i] combines source[s], ..., source[i] along a dimension, where s is the last element from 0 to i that starts a
    segment; the first element of the dimension always starts one.

    - `sources`: tiles that are scanned together; `results`: one for each, of its type.
    - `starts`: true where a segment starts.
    - `axis`: the dimension.
    - `reverse`: prefixes start at the end, and a segment goes on from the element that starts it towards element 0.
    - `combiner`: takes the prefix (of every source), then the next element (of every source), as in `tile.scan`. It is
      taken to be associative: the grouping is unspecified, the order of operands is not. An implementation may call it for
      elements of two segments, and drops these results.

    Targets without a lowering of their own compute it by a `tile.scan` of the sources together with `starts`
    (Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, section 1.5).

    Constraints:
    - (C1) There is at least one source, and a result of its type for each.
    - (C2) Sources and `starts` have one shape.
    - (C3) The dimension exists.
    - (C4) The region takes a prefix and an element of every source and yields a prefix.

    Numerics: as `tile.reduce` of each prefix.

    Since: 0.2.

    Example:
    ```mlir
    %s = tile.segmented_scan %t starts %f : tensor<64xi1> axis 0 : tensor<64xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$sources, Tile_BoolTile:$starts, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sources `starts` $starts `:` type($starts) `axis` $axis (`reverse` $reverse^)? attr-dict
    `:` type($sources) `->` type($results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
