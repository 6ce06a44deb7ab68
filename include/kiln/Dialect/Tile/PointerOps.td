// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers, tiles of pointers and the memory behind them.
#ifndef KILN_DIALECT_TILE_POINTEROPS_TD
#define KILN_DIALECT_TILE_POINTEROPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

/// A pointer or a tile of pointers.
def Tile_PtrTile : StaticShapeTensorOf<[Tile_PtrType]>;
def Tile_PtrLike : AnyTypeOf<[Tile_PtrType, Tile_PtrTile]>;
def Tile_IntLike : AnyTypeOf<[AnySignlessInteger, Index, Tile_IntTile]>;
def Tile_MaskLike : AnyTypeOf<[I1, StaticShapeTensorOf<[I1]>]>;

def Tile_PtrAddOp : Tile_Op<"ptr_add", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "Moves pointers by elements";
  let description = [{
    The address plus `offset` times the size of an element, in 64 bits; `offset` is signed
    and has the shape of `ptr`. An `i1` element takes one byte.
    Example: `%q = tile.ptr_add %p, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>`.
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure]> {
  let summary = "Pointers with the given addresses";
  let description = [{ Example: `%p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>`. }];
  let arguments = (ins Tile_IntLike:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure]> {
  let summary = "The addresses of pointers";
  let description = [{ Example: `%i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64`. }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", [Pure]> {
  let summary = "The same addresses with another element type";
  let description = [{ Example: `%q = tile.ptr_cast %p : !tile.ptr<i1> -> !tile.ptr<i8>`. }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LoadPtrOp : Tile_Op<"load_ptr", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads through pointers";
  let description = [{
    One element per pointer whose lane is enabled in `mask` (all without a mask); other lanes
    do not touch memory and give `other`, or an unspecified value without it. `volatile`
    accesses happen as often and in the order written. `cache` and `evict` are hints.
    Example:
    ```mlir
    %x = tile.load_ptr %p mask %m other %z : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_MaskLike>:$mask, Optional<AnyType>:$other,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_StorePtrOp : Tile_Op<"store_ptr", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes through pointers";
  let description = [{
    One element per pointer whose lane is enabled in `mask`; other lanes do not touch memory.
    Where several enabled lanes have the same address, one of them wins.
    Example: `tile.store_ptr %p, %x mask %m : tensor<64x!tile.ptr<f32>>, tensor<64xf32>`.
  }];
  let arguments = (ins Tile_PtrLike:$ptr, AnyType:$value, Optional<Tile_MaskLike>:$mask,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
