// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that make tiles or rearrange their elements.
#ifndef KILN_DIALECT_TILE_SHAPEOPS_TD
#define KILN_DIALECT_TILE_SHAPEOPS_TD

include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/ExactResult.td"
include "kiln/Interfaces/IndexMap.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

/// Moves elements, to where its index maps say.
class Tile_MovementOp<string mnemonic, list<Trait> traits = [], list<string> methods = []>
    : Tile_Op<mnemonic, !listconcat(traits, [Pure, ExactResult,
        DeclareOpInterfaceMethods<IndexMapOpInterface,
          !listconcat(["getIndexMap", "movesElements"], methods)>])>;

def Tile_SplatOp : Tile_Op<"splat", [Pure, ExactResult,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexSymbols", "getGeneratedElement"]>,
    TypesMatchWith<"scalar and tile element types agree", "result", "value",
                   "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "A tile with one value everywhere";
  let description = [{
    - `value`: the scalar, or pointer; `result`: a tile of it.

    Since: 0.1.

    Example:
    ```mlir
    %t = tile.splat %s : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Tile_Element:$value);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure, ExactResult,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getGeneratedElement"]>]> {
  let summary = "The index of each element along a dimension";
  let description = [{
    - `dim`: the dimension; `result`: its element (i0, ..., in) is i_dim, which wraps in narrow types.

    Constraints:
    - (C1) The dimension exists.

    Since: 0.1.

    Example:
    ```mlir
    %t = tile.iota 1 : tensor<64x128xi32>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_MovementOp<"broadcast"> {
  let summary = "Repeats a tile along its dimensions of size 1";
  let description = [{
    - `source`: the tile; `result`: has its elements, with index 0 where the source has size 1.

    Constraints:
    - (C1) Element types and ranks agree.
    - (C2) Only dimensions of size 1 change.

    Since: 0.1.

    Example:
    ```mlir
    %b = tile.broadcast %t : tensor<64x1xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_MovementOp<"expand_dims", [InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "Inserts a dimension of size 1";
  let description = [{
    - `source`: the tile; `result`: the same elements in a tile of one more dimension.
    - `axis`: the position of the new dimension in the result.

    Constraints:
    - (C1) Element types agree.
    - (C2) The position is one of the result's.
    - (C3) The result has size 1 there and the source's sizes elsewhere.

    Since: 0.1.

    Example:
    ```mlir
    %e = tile.expand_dims %t axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$source, I64Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_MovementOp<"reshape"> {
  let summary = "Gives the elements another shape";
  let description = [{
    - `source`: the tile; `result`: its elements in row-major order.

    Constraints:
    - (C1) Element types agree.
    - (C2) The number of elements stays.

    Since: 0.1.

    Example:
    ```mlir
    %r = tile.reshape %t : tensor<1x64x32xf32> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TransposeOp : Tile_MovementOp<"transpose", [InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "Permutes the dimensions";
  let description = [{
    - `source`: the tile; `result`: the same elements.
    - `permutation`: dimension d of the result is dimension permutation[d] of the source.

    Constraints:
    - (C1) Element types and ranks agree.
    - (C2) It is a permutation of the dimensions.
    - (C3) Sizes follow it.

    Since: 0.1.

    Example:
    ```mlir
    %x = tile.transpose %t [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CatOp : Tile_MovementOp<"cat", [InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "Joins tiles along a dimension";
  let description = [{
    - `sources`: the tiles, one after the other in the `result`.
    - `axis`: the dimension along which they follow each other.

    Constraints:
    - (C1) There is at least one source.
    - (C2) The dimension exists.
    - (C3) Element types and ranks agree.
    - (C4) Sizes agree except along the dimension.
    - (C5) Sizes along it add up.

    Since: 0.1.

    Example:
    ```mlir
    %c = tile.cat %a, %b axis 0 : tensor<8xf32>, tensor<4xf32> -> tensor<12xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$sources, I64Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$sources `axis` $axis attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ExtractOp : Tile_MovementOp<"extract", [], ["getIndexSymbols"]> {
  let summary = "A block of a tile";
  let description = [{
    - `source`: the tile; `result`: a block of it.
    - `coords`: block coordinates: the result starts at coordinate times result size along each
      dimension. Coordinates beyond the last block are undefined behaviour that `reference` reports.

    Constraints:
    - (C1) Element types and ranks agree.
    - (C2) There is one coordinate per dimension.
    - (C3) Sizes of the result divide those of the source.

    Since: 0.1.

    Example:
    ```mlir
    %e = tile.extract %t[%i, %j] : tensor<64x64xf32> -> tensor<16x64xf32>
    ```
  }];
  let arguments = (ins Tile_AnyTile:$source, Variadic<Index>:$coords);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `[` $coords `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif
