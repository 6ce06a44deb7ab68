// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that make tiles or rearrange their elements.
#ifndef KILN_DIALECT_TILE_SHAPEOPS_TD
#define KILN_DIALECT_TILE_SHAPEOPS_TD

include "kiln/Dialect/Tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_SplatOp : Tile_Op<"splat", [Pure,
    TypesMatchWith<"scalar and tile element types agree", "result", "value",
                   "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "A tile with one value everywhere";
  let description = [{ Example: `%t = tile.splat %s : tensor<64x64xf32>`. }];
  let arguments = (ins AnyType:$value);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "The index of each element along a dimension";
  let description = [{
    Element (i0, ..., in) is i_dim, in an integer or index type.
    Example: `%t = tile.iota 1 : tensor<64x128xi32>`.
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Repeats a tile along its dimensions of size 1";
  let description = [{
    Same rank; a dimension of size 1 may become any size.
    Example: `%b = tile.broadcast %t : tensor<64x1xf32> -> tensor<64x128xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "Inserts a dimension of size 1";
  let description = [{
    `axis` is the position of the new dimension in the result.
    Example: `%e = tile.expand_dims %t axis 1 : tensor<64xf32> -> tensor<64x1xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$source, I64Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "Gives the elements another shape";
  let description = [{
    Row-major order of elements is kept; the number of elements is the same.
    Example: `%r = tile.reshape %t : tensor<1x64x32xf32> -> tensor<64x32xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "Permutes the dimensions";
  let description = [{
    Dimension d of the result is dimension permutation[d] of the source.
    Example: `%x = tile.transpose %t [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CatOp : Tile_Op<"cat", [Pure]> {
  let summary = "Joins tiles along a dimension";
  let description = [{
    Operands agree in every dimension but `axis`, where their sizes add up.
    Example: `%c = tile.cat %a, %b axis 0 : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>`.
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$sources, I64Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$sources `axis` $axis attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", [Pure]> {
  let summary = "A block of a tile";
  let description = [{
    `coords` are block coordinates: the result starts at coordinate times result
    size along each dimension. Result sizes divide the source's. Coordinates beyond
    the last block are undefined behaviour that `reference` reports.
    Example: `%e = tile.extract %t[%i, %j] : tensor<64x64xf32> -> tensor<16x64xf32>`.
  }];
  let arguments = (ins Tile_AnyTile:$source, Variadic<Index>:$coords);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `[` $coords `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif
