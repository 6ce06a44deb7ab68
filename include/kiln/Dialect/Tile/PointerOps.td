// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers, tiles of pointers and the memory behind them.
#ifndef KILN_DIALECT_TILE_POINTEROPS_TD
#define KILN_DIALECT_TILE_POINTEROPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_PtrAddOp : Tile_Op<"ptr_add", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "Moves pointers by elements";
  let description = [{
    The address plus an offset times the size of an element, in 64 bits. An `i1` element takes one
    byte.

    - `ptr`: pointers; `result`: pointers of the same type.
    - `offset`: elements, signed.

    Constraints:
    - (C1) Pointers and offsets have one shape.

    Since: 0.1.

    Example:
    ```mlir
    %q = tile.ptr_add %p, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure]> {
  let summary = "Pointers with the given addresses";
  let description = [{
    - `source`: addresses in bytes, unsigned; `result`: pointers.

    Constraints:
    - (C1) Both have one shape.

    Since: 0.1.

    Example:
    ```mlir
    %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_IntLike:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure]> {
  let summary = "The addresses of pointers";
  let description = [{
    - `source`: pointers; `result`: their addresses in bytes, cut off where the type is narrower.

    Constraints:
    - (C1) Both have one shape.

    Since: 0.1.

    Example:
    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", [Pure]> {
  let summary = "The same addresses with another element type";
  let description = [{
    - `source`: pointers; `result`: the same addresses.

    Constraints:
    - (C1) Both have one shape.

    Since: 0.1.

    Example:
    ```mlir
    %q = tile.ptr_cast %p : !tile.ptr<i1> -> !tile.ptr<i8>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LoadPtrOp : Tile_Op<"load_ptr", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads through pointers";
  let description = [{
    One element per pointer whose lane is enabled; other lanes do not touch memory.

    - `ptr`: the address of each element.
    - `mask`: which lanes are enabled; all of them without it.
    - `other`: the result of disabled lanes; without it their result is unspecified.
    - `is_volatile`: the access happens as often and in the order written.
    - `cache`, `evict`: hints.
    - `result`: the elements in memory.

    Constraints:
    - (C1) The result has the shape of the pointers and the type that they point to.
    - (C2) The mask has one bit for every pointer.
    - (C3) `other` has the type of the result, and comes with a mask.

    Since: 0.1.

    Example:
    ```mlir
    %x = tile.load_ptr %p mask %m other %z : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_MaskLike>:$mask, Optional<Tile_AnyLike>:$other,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict);
  let results = (outs Tile_AnyLike:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_StorePtrOp : Tile_Op<"store_ptr", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes through pointers";
  let description = [{
    One element per pointer whose lane is enabled; other lanes do not touch memory. Where several
    enabled lanes have the same address, one of them is stored, and it is unspecified which.

    - `ptr`: the address of each element.
    - `value`: the elements to store.
    - `mask`: which lanes are enabled; all of them without it.
    - `cache`, `evict`: hints.

    Constraints:
    - (C1) The value has the shape of the pointers and the type that they point to.
    - (C2) The mask has one bit for every pointer.

    Since: 0.1.

    Example:
    ```mlir
    tile.store_ptr %p, %x mask %m : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_AnyLike:$value, Optional<Tile_MaskLike>:$mask,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
