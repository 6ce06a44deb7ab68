// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views and the operations that read and write through them.
#ifndef KILN_DIALECT_TILE_MEMORYOPS_TD
#define KILN_DIALECT_TILE_MEMORYOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Index/IndexInterfaces.td"
include "kiln/Interfaces/Cost.td"
include "kiln/Interfaces/ExactResult.td"
include "kiln/Interfaces/IndexMap.td"
include "kiln/Interfaces/ViewAccess.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_MakeViewOp : Tile_Op<"make_view", [Pure, AttrSizedOperandSegments]> {
  let summary = "Makes a view from a pointer, sizes and strides";
  let description = [{
    - `base`: the address of element (0, 0, ...).
    - `sizes`, `strides`: the values of the `?` of the result type, in order. A dense result type
      takes no strides.
    - `result`: the view.

    Constraints:
    - (C1) Pointer and view have one element type.
    - (C2) There is one size for each `?` of the shape.
    - (C3) There is one stride for each `?` of the strides.

    Since: 0.1.

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
  let description = [{
    - `view`: the view; `dim`: the dimension; `result`: its number of elements.

    Constraints:
    - (C1) The dimension exists.

    Since: 0.1.

    Example:
    ```mlir
    %m = tile.dim %a[0] : !tile.view<?x?xf32>
    ```
  }];
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
    - `view`: the view; `dim`: the dimension.
    - `block`: elements of a block.
    - `result`: ceil(size / block).

    Constraints:
    - (C1) The dimension exists.
    - (C2) The block is positive.

    Since: 0.1.

    Example:
    ```mlir
    %n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, I64Attr:$dim, I64Attr:$block);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `[` $dim `]` `by` $block attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

defvar Tile_coordinates = [{
    - `coords`: where the tile starts, one coordinate per dimension of the view: in blocks (`[...]`),
      where it starts at coordinate times block size, or
    - `element_offsets`: (`at [...]`) in elements, signed. A tile of smaller rank than the view has
      block size 1 in the leading dimensions that it lacks.
    - `step`: element i of the tile stands at offset + i * step along a dimension; 1 without it.

    Constraints:
    - (C1) Tile and view have one element type, the sizes of the tile are positive.
    - (C2) The rank of the tile is at most that of the view.
    - (C3) There is one coordinate per dimension of the view.
    - (C4) There is one positive step per dimension of the view.
}];

defvar Tile_accessHints = [{
    - `is_volatile`: the access happens as often and in the order written.
    - `cache`, `evict`: hints, as docs/hints.md says.
}];

def Tile_LoadOp : Tile_Op<"load", [
    AttrSizedOperandSegments, ExactResult, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ViewAccessOpInterface, ["getOutside", "getOutsideValue", "setElementOffsets",
      "getAccessHints", "isVolatileAccess"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getElementBytes"]>]> {
  let summary = "Reads a tile through a view";
  let description = !strconcat([{
    - `view`: what is read; `result`: the tile that was there.
    - `padding`: what stands for elements outside of the view: zero (the default), a quiet NaN, the
      scalar `pad` (`pad %s : f32`, which sets it to `value`), or `any` (unspecified, must not trap).
}], Tile_accessHints, Tile_coordinates, [{
    - (C5) `pad` is there exactly when `padding` is `value`.
    - (C6) `pad` has the element type.
    - (C7) Only floats have a NaN.

    Since: 0.1.

    Example:
    ```mlir
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %y = tile.load %a at [%r, %c] pad %z : f32 : !tile.view<?x?xf32> -> tensor<32xf32>
    %v = tile.load %a[%i, %k] cache streaming evict first : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %w = tile.load %a at [%r, %c] padding nan step [1, 2] : !tile.view<?x?xf32> -> tensor<4x8xf32>
    ```
  }]);
  let arguments = (ins
    Tile_ViewType:$view, Variadic<Index>:$coords, Optional<Tile_Scalar>:$pad,
    UnitAttr:$element_offsets,
    DefaultValuedAttr<Tile_Padding, "::kiln::tile::Padding::zero">:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$step,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $view (`at` $element_offsets^ ` `)? `[` $coords `]` `` custom<Padding>($pad, type($pad), $padding)
    (`step` $step^)? (`volatile` $is_volatile^)? (`cache` $cache^)? (`evict` $evict^)? attr-dict
    `:` qualified(type($view)) `->` type($result)
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

def Tile_StoreOp : Tile_Op<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ViewAccessOpInterface, ["getWrittenOperand", "setElementOffsets", "getAccessHints",
      "isVolatileAccess"]>]> {
  let summary = "Writes a tile through a view";
  let description = !strconcat([{
    Elements outside of the view are dropped.

    - `value`: the tile; `view`: where it goes.
    - `combine`: the stored element is combine(old, new) instead of new; combining stores to the same
      element by several instances are each performed once, in some order, atomically. `inc` counts up
      to new and then from 0 again, `dec` down to 0 and then from new again (both unsigned):
      old >= new ? 0 : old + 1, and old == 0 or old > new ? new : old - 1.
}], Tile_accessHints, Tile_coordinates, [{
    - (C5) Bitwise and unsigned combinations take integers.

    Numerics: `add` and `mul` round once; `max` and `min` are signed on integers, and give NaN where one of
    two floats is.

    Since: 0.1.

    Example:
    ```mlir
    tile.store %t, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
    tile.store %u, %v at [%r] combine add : tensor<64xf32>, !tile.view<?xf32>
    ```
  }]);
  let arguments = (ins
    Tile_AnyTile:$value, Tile_ViewType:$view, Variadic<Index>:$coords,
    UnitAttr:$element_offsets,
    DefaultValuedAttr<Tile_Combine, "::kiln::tile::Combine::assign">:$combine,
    OptionalAttr<DenseI64ArrayAttr>:$step,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict);
  let assemblyFormat = [{
    $value `,` $view (`at` $element_offsets^ ` `)? `[` $coords `]`
    (`combine` $combine^)? (`step` $step^)? (`volatile` $is_volatile^)? (`cache` $cache^)? (`evict` $evict^)? attr-dict
    `:` type($value) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType()); }
    int64_t getBlock(int64_t d);
    int64_t getStepOf(int64_t d);
  }];
}

def Tile_LoadGatherOp : Tile_Op<"load_gather", [
    AttrSizedOperandSegments, ExactResult, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ViewAccessOpInterface, ["getOutside", "getOutsideValue", "setElementOffsets",
      "getAccessHints", "isVolatileAccess"]>,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexMap"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getElementBytes"]>]> {
  let summary = "Reads a tile through a view with one indirect dimension";
  let description = [{
    - `view`: the memory that is read.
    - `dim`: the dimension that is indexed by the elements of the tile
    - `indices`: signed.
    - `offsets`: signed element offsets of the other dimensions, in order.
    - `padding`, `pad`: as for `tile.load`, also where an index lies outside of the view. Of a view of 2^60 elements and
      more, which is larger than any memory, only an index that an `arith.select` replaces by a constant lies outside.
    - `is_volatile`, `cache`, `evict`: as for `tile.load`.
    - `result`: its shape is the blocks of the other dimensions with the shape of `indices` in the
      place of `dim`: result[p..., i..., q...] = view[offset_p + p, indices[i...], offset_q + q].

    Constraints:
    - (C1) Tile and view have one element type, the sizes of the tile are positive.
    - (C2) The indirect dimension exists.
    - (C3) There is one offset for every other dimension.
    - (C4) The shape of the indices stands in the place of the dimension.
    - (C5) `pad` is there exactly when `padding` is `value`.
    - (C6) `pad` has the element type.
    - (C7) Only floats have a NaN.

    Since: 0.1.

    Example: rows of an embedding table.
    ```mlir
    %rows = tile.load_gather %table[%c] dim 0 by %ids
      : !tile.view<?x?xf32>, tensor<16xi32> -> tensor<16x128xf32>
    ```
  }];
  let arguments = (ins
    Tile_ViewType:$view, Variadic<Index>:$offsets, Tile_IntTile:$indices,
    Optional<Tile_Scalar>:$pad, I64Attr:$dim,
    DefaultValuedAttr<Tile_Padding, "::kiln::tile::Padding::zero">:$padding,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` `dim` $dim `by` $indices
    `` custom<Padding>($pad, type($pad), $padding)
    (`volatile` $is_volatile^)? (`cache` $cache^)? (`evict` $evict^)? attr-dict
    `:` qualified(type($view)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
  }];
}

def Tile_StoreScatterOp : Tile_Op<"store_scatter", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ViewAccessOpInterface, ["getWrittenOperand", "getAccessHints",
      "isVolatileAccess"]>]> {
  let summary = "Writes a tile through a view with one indirect dimension";
  let description = [{
    The mirror of `tile.load_gather`: view[offset_p + p, indices[i...], offset_q + q] = value[p..., i..., q...].
    Elements outside of the view, by their index or otherwise, are dropped. If several elements of the tile
    have the same place, each is combined with the element in memory, once, in an unspecified order. Without
    `combine` one of them is stored, and it is unspecified which.

    - `value`: the tile; `view`: where it goes.
    - `dim`: the dimension that is indexed by the elements of the tile
    - `indices`: signed.
    - `offsets`: signed element offsets of the other dimensions, in order.
    - `combine`: as for `tile.store`.
    - `is_volatile`, `cache`, `evict`: as for `tile.load`.

    Constraints:
    - (C1) Tile and view have one element type, the sizes of the tile are positive.
    - (C2) The indirect dimension exists.
    - (C3) There is one offset for every other dimension.
    - (C4) The shape of the indices stands in the place of the dimension.
    - (C5) Bitwise and unsigned combinations take integers.

    Since: 0.1.

    Example: rows of a cache, and sums of weights.
    ```mlir
    tile.store_scatter %rows, %cache[%c] dim 0 by %slots
      : tensor<16x128xf32>, !tile.view<?x?xf32>, tensor<16xi32>
    tile.store_scatter %w, %sums[] dim 0 by %bins combine add
      : tensor<256xf32>, !tile.view<?xf32>, tensor<256xi32>
    ```
  }];
  let arguments = (ins
    Tile_AnyTile:$value, Tile_ViewType:$view, Variadic<Index>:$offsets, Tile_IntTile:$indices, I64Attr:$dim,
    DefaultValuedAttr<Tile_Combine, "::kiln::tile::Combine::assign">:$combine,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` `dim` $dim `by` $indices
    (`combine` $combine^)? (`volatile` $is_volatile^)? (`cache` $cache^)? (`evict` $evict^)? attr-dict
    `:` type($value) `,` qualified(type($view)) `,` type($indices)
  }];
  let hasVerifier = 1;
  let useCustomPropertiesEncoding = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType()); }
  }];
}

#endif
