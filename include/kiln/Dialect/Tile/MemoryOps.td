// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views and the operations that read and write through them.
#ifndef KILN_DIALECT_TILE_MEMORYOPS_TD
#define KILN_DIALECT_TILE_MEMORYOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Index/IndexInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_MakeViewOp : Tile_Op<"make_view", [Pure, AttrSizedOperandSegments]> {
  let summary = "Makes a view from a pointer, sizes and strides";
  let description = [{
    `sizes` and `strides` give the values of the `?` of the result type, in order.
    A dense result type takes no strides.

    Example:
    ```mlir
    %v = tile.make_view %p sizes [%m, %n] strides [%ld]
       : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<Index>:$sizes, Variadic<Index>:$strides);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $base (`sizes` `[` $sizes^ `]`)? (`strides` `[` $strides^ `]`)? attr-dict
    `:` qualified(type($base)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_DimOp : Tile_Op<"dim", [
    Pure, DeclareOpInterfaceMethods<IndexFactsOpInterface>]> {
  let summary = "The size of a view along a dimension";
  let description = [{ Example: `%m = tile.dim %a[0] : !tile.view<?x?xf32>`. }];
  let arguments = (ins Tile_ViewType:$view, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `[` $dim `]` attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_NumBlocksOp : Tile_Op<"num_blocks", [
    Pure, DeclareOpInterfaceMethods<IndexFactsOpInterface>]> {
  let summary = "How many blocks cover a dimension of a view";
  let description = [{
    ceil(size / block). Example: `%n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xf32>`.
  }];
  let arguments = (ins Tile_ViewType:$view, I64Attr:$dim, I64Attr:$block);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `[` $dim `]` `by` $block attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

defvar Tile_coordinates = [{
    Coordinates come in two forms. `[...]` are block coordinates: the tile starts at
    coordinate times block size along each dimension. `at [...]` are signed element
    offsets. There is one coordinate per dimension of the view. A tile of smaller
    rank than the view has block size 1 in the leading dimensions that it lacks.
    With `step = [s0, ...]` (one per dimension of the view; default 1) element i of
    the tile stands at offset + i * step.
}];

def Tile_LoadOp : Tile_Op<"load", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads a tile through a view";
  let description = !strconcat([{
    Elements outside of the view read as `padding`: zero (the default), a quiet
    NaN, a scalar (`pad %s : f32`, which sets `padding` to `value`), or `any`
    (unspecified, must not trap).
  }], Tile_coordinates, [{
    Example:
    ```mlir
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %y = tile.load %a at [%r, %c] pad %z : f32 : !tile.view<?x?xf32> -> tensor<32xf32>
    %w = tile.load %a at [%r, %c] padding nan step [1, 2] : !tile.view<?x?xf32> -> tensor<4x8xf32>
    ```
  }]);
  let arguments = (ins
    Tile_ViewType:$view, Variadic<Index>:$coords, Optional<AnyType>:$pad,
    UnitAttr:$element_offsets,
    DefaultValuedAttr<Tile_Padding, "::kiln::tile::Padding::zero">:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$step);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $view (`at` $element_offsets^ ` `)? `[` $coords `]` `` custom<Padding>($pad, type($pad), $padding)
    (`step` $step^)? attr-dict `:` qualified(type($view)) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    /// Block size along dimension `d` of the view (1 for leading dimensions the tile lacks).
    int64_t getBlock(int64_t d);
    /// Step along dimension `d` of the view.
    int64_t getStepOf(int64_t d);
  }];
}

def Tile_StoreOp : Tile_Op<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes a tile through a view";
  let description = !strconcat([{
    Elements outside of the view are dropped. With `combine` the stored element is
    combine(old, new) instead of new; combining stores to the same element by
    several instances are each performed once, in some order, atomically. `inc` counts
    up to new and then from 0 again, `dec` down to 0 and then from new again (both
    unsigned): old >= new ? 0 : old + 1, and old == 0 or old > new ? new : old - 1.
  }], Tile_coordinates, [{
    Example:
    ```mlir
    tile.store %t, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
    tile.store %t, %c at [%r] combine add : tensor<64xf32>, !tile.view<?xf32>
    ```
  }]);
  let arguments = (ins
    Tile_AnyTile:$value, Tile_ViewType:$view, Variadic<Index>:$coords,
    UnitAttr:$element_offsets,
    DefaultValuedAttr<Tile_Combine, "::kiln::tile::Combine::assign">:$combine,
    OptionalAttr<DenseI64ArrayAttr>:$step);
  let assemblyFormat = [{
    $value `,` $view (`at` $element_offsets^ ` `)? `[` $coords `]`
    (`combine` $combine^)? (`step` $step^)? attr-dict `:` type($value) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType()); }
    int64_t getBlock(int64_t d);
    int64_t getStepOf(int64_t d);
  }];
}

def Tile_LoadGatherOp : Tile_Op<"load_gather", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads a tile through a view with one indirect dimension";
  let description = [{
    Dimension `dim` of the view is indexed by the elements of the integer tile
    `indices` (signed); `offsets` are signed element offsets of the other
    dimensions, in order. The result's shape is the blocks of the other dimensions
    with the shape of `indices` in the place of `dim`:
    result[p..., i..., q...] = view[offset_p + p, indices[i...], offset_q + q].
    What lies outside of the view, indices included, reads as `padding`.

    Example: rows of an embedding table.
    ```mlir
    %rows = tile.load_gather %table[%c] dim 0 by %ids
      : !tile.view<?x?xf32>, tensor<16xi32> -> tensor<16x128xf32>
    ```
  }];
  let arguments = (ins
    Tile_ViewType:$view, Variadic<Index>:$offsets, Tile_IntTile:$indices,
    Optional<AnyType>:$pad, I64Attr:$dim,
    DefaultValuedAttr<Tile_Padding, "::kiln::tile::Padding::zero">:$padding);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` `dim` $dim `by` $indices
    `` custom<Padding>($pad, type($pad), $padding) attr-dict
    `:` qualified(type($view)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
  }];
}

def Tile_StoreScatterOp : Tile_Op<"store_scatter", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes a tile through a view with one indirect dimension";
  let description = [{
    The mirror of `tile.load_gather`: dimension `dim` of the view is indexed by the elements of the integer tile
    `indices` (signed); `offsets` are signed element offsets of the other dimensions, in order:
    view[offset_p + p, indices[i...], offset_q + q] = value[p..., i..., q...].
    What lies outside of the view, by its index or otherwise, is dropped. Where several elements of the tile
    have the same place, one of them is there afterwards, and it is not said which.

    Example: rows of a cache.
    ```mlir
    tile.store_scatter %rows, %cache[%c] dim 0 by %slots
      : tensor<16x128xf32>, !tile.view<?x?xf32>, tensor<16xi32>
    ```
  }];
  let arguments = (ins
    Tile_AnyTile:$value, Tile_ViewType:$view, Variadic<Index>:$offsets, Tile_IntTile:$indices, I64Attr:$dim);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` `dim` $dim `by` $indices attr-dict
    `:` type($value) `,` qualified(type($view)) `,` type($indices)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType()); }
  }];
}

#endif
