// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a tile that change places with each other.
#ifndef KILN_DIALECT_TILE_EXCHANGEOPS_TD
#define KILN_DIALECT_TILE_EXCHANGEOPS_TD

include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/ExactResult.td"
include "kiln/Interfaces/IndexMap.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_ExchangeOp : Tile_Op<"exchange", [Pure, ExactResult, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexMap", "movesElements"]>]> {
  let summary = "Elements change places with those at a distance";
  let description = [{
    result[..., i, ...] = source[..., i xor mask, ...] along a dimension. With a mask of one bit, elements at that distance
    change places, as in a step of a bitonic network (compare-exchange). A mask of all bits below a power of two reverses blocks of
    that many elements.

    - `source`: the tile; `result`: the same elements.
    - `axis`: the dimension.
    - `mask`: the XOR of the indices of the two elements that change places.

    Constraints:
    - (C1) The dimension exists.
    - (C2) The mask is positive.
    - (C3) The size along the dimension is a multiple of the least power of two above the mask.

    Since: 0.1.

    Example:
    ```mlir
    %x = tile.exchange %t axis 0 mask 4 : tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$source, I64Attr:$axis, I64Attr:$mask);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `axis` $axis `mask` $mask attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
