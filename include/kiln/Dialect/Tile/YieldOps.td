// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ends the regions of tile operations.
#ifndef KILN_DIALECT_TILE_YIELDOPS_TD
#define KILN_DIALECT_TILE_YIELDOPS_TD

include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "Returns values from the region of a tile operation";
  let description = [{
    - `values`: the results of the region. The description of the surrounding operation states how many, and their meaning.

    Since: 0.1.

    Example:
    ```mlir
    tile.yield %sum : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyLike>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange{}); }]>];
}

#endif
