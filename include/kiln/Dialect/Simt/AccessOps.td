// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of one thread to memory.
#ifndef KILN_DIALECT_SIMT_ACCESSOPS_TD
#define KILN_DIALECT_SIMT_ACCESSOPS_TD

include "kiln/Dialect/Simt/SimtBase.td"
include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Interfaces/ThreadAccess.td"
include "mlir/Dialect/LLVMIR/LLVMEnums.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Simt_LoadOp : Simt_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ThreadAccessOpInterface>]> {
  let summary = "Loads one element, or a vector of adjacent elements";
  let description = [{
    - `address`: the address of the first element; `result`: the element, or a vector of one dimension.
    - `mask`: if false, the thread reads no memory; the default is true.
    - `other`: the result if the mask is false; without it such a result is unspecified.
    - `base`, `offset`, `extent`: the same address, as `offset` bytes behind `base`. `base` is equal in all threads of the block. If
      the mask is true, the accessed bytes lie within `extent` bytes behind `base`, so a target may emit an access that
      the hardware checks against these bounds. A negative extent is unknown. Emitted if the description's global memory is `bounded`.
    - `alignment`: the address is a multiple of this number of bytes.
    - `is_volatile`, `cache`, `evict`: as for `tile.load`.

    Constraints:
    - (C1) `other` has the type of the result and comes with a mask.
    - (C2) The alignment is a power of two.
    - (C3) `base`, `offset` and `extent` come together, and `base` has the type of the address.

    Since: 0.2.

    Example:
    ```mlir
    %v = simt.load %p mask %m other %zero align 16 : !llvm.ptr<1> -> vector<4xf32>
    %w = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> mask %m align 4 : !llvm.ptr<1> -> f32
    ```
  }];
  let arguments = (ins Simt_Pointer:$address, Optional<I1>:$mask, Optional<AnyType>:$other, I64Attr:$alignment,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict,
    Optional<Simt_Pointer>:$base, Optional<I64>:$offset, Optional<I64>:$extent);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $address (`in` $base^ `[` $offset `]` `of` $extent `:` qualified(type($base)))? (`mask` $mask^)? (`other` $other^ `:` type($other))? `align` $alignment (`volatile` $is_volatile^)? (`cache` $cache^)?
    (`evict` $evict^)? attr-dict `:` qualified(type($address)) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$address, "::mlir::Value":$mask, "::mlir::Value":$other,
    "int64_t":$alignment, "bool":$isVolatile, "::kiln::tile::CacheHint":$cache, "::kiln::tile::EvictHint":$evict), [{
    build($_builder, $_state, result, address, mask, other, alignment, isVolatile, cache, evict, ::mlir::Value(), ::mlir::Value(),
          ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Simt_StoreOp : Simt_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<ThreadAccessOpInterface>]> {
  let summary = "Stores one element, or a vector of adjacent elements";
  let description = [{
    - `value`: an element, or a vector of one dimension; `address`: the address of its first element.
    - `mask`: if false, the thread writes no memory; the default is true.
    - `base`, `offset`, `extent`, `alignment`, `is_volatile`, `cache`, `evict`: as for `simt.load`.

    Constraints:
    - (C1) The alignment is a power of two.
    - (C2) `base`, `offset` and `extent` come together, and `base` has the type of the address.

    Since: 0.2.

    Example:
    ```mlir
    simt.store %v, %p mask %m align 16 : vector<4xf32>, !llvm.ptr<1>
    ```
  }];
  let arguments = (ins AnyType:$value, Simt_Pointer:$address, Optional<I1>:$mask, I64Attr:$alignment,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict,
    Optional<Simt_Pointer>:$base, Optional<I64>:$offset, Optional<I64>:$extent);
  let assemblyFormat = [{
    $value `,` $address (`in` $base^ `[` $offset `]` `of` $extent `:` qualified(type($base)))? (`mask` $mask^)? `align` $alignment (`volatile` $is_volatile^)? (`cache` $cache^)?
    (`evict` $evict^)? attr-dict `:` type($value) `,` qualified(type($address))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$address, "::mlir::Value":$mask, "int64_t":$alignment,
    "bool":$isVolatile, "::kiln::tile::CacheHint":$cache, "::kiln::tile::EvictHint":$evict), [{
    build($_builder, $_state, value, address, mask, alignment, isVolatile, cache, evict, ::mlir::Value(), ::mlir::Value(),
          ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

/// Atomic operations: other threads, also of other blocks, may access the same address at the same time.
class Simt_AtomicOp<string mnemonic, list<Trait> traits> : Simt_Op<mnemonic,
    traits # [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<ThreadAccessOpInterface>]>;

def Simt_AtomicRMWOp : Simt_AtomicOp<"atomic_rmw", [TypesMatchWith<"the result has the type of the value", "value", "result", "$_self">]> {
  let summary = "Atomic read-modify-write of one element, or of neighbours";
  let description = [{
    - `kind`, `order`: as for `llvm.atomicrmw`; `scope`: the threads for which the memory order holds, as for `tile.atomic_rmw`. A target
      translates the scope to the name that its code generator has for it (`simt::lowerAtomics` in kiln/Gpu/Lowering.h).
    - `address`: the address of the element; `value`: the operand of `kind`; `result`: the element before the operation.
    - A vector is neighbours from `address` on, at a multiple of its bytes. Each of them is updated atomically, in no particular order.

    Since: 0.2.

    Example:
    ```mlir
    %old = simt.atomic_rmw add monotonic device %p, %x : !llvm.ptr<1>, i32
    %both = simt.atomic_rmw fadd monotonic device %q, %y : !llvm.ptr<1>, vector<2xf16>
    ```
  }];
  let arguments = (ins AtomicBinOp:$kind, AtomicOrdering:$order, Tile_MemoryScope:$scope, Simt_Pointer:$address,
    AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $order $scope $address `,` $value attr-dict `:` qualified(type($address)) `,` type($value)";
}

def Simt_AtomicCASOp : Simt_AtomicOp<"atomic_cas", [AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "Atomic compare-and-swap of one element";
  let description = [{
    - `order`, `scope`, `address`: as for `simt.atomic_rmw`.
    - If the element equals `expected`, `value` replaces it. `result`: the element before the operation.

    Since: 0.2.

    Example:
    ```mlir
    %old = simt.atomic_cas acquire system %p, %x, %y : !llvm.ptr<1>, i32
    ```
  }];
  let arguments = (ins AtomicOrdering:$order, Tile_MemoryScope:$scope, Simt_Pointer:$address, AnyInteger:$expected,
    AnyInteger:$value);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = [{
    $order $scope $address `,` $expected `,` $value attr-dict `:` qualified(type($address)) `,` type($value)
  }];
}

def Simt_FenceOp : Simt_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Orders the accesses of the thread before it and behind it";
  let description = [{
    - `order`, `scope`: as for `simt.atomic_rmw`. With relaxed atomic operations behind a `release` fence, or before an `acquire` fence,
      threads synchronise as if these operations had the order themselves.

    Constraints:
    - (C1) `order` is `acquire`, `release` or `acq_rel`.

    Since: 0.2.

    Example:
    ```mlir
    simt.fence release device
    ```
  }];
  let arguments = (ins AtomicOrdering:$order, Tile_MemoryScope:$scope);
  let assemblyFormat = "$order $scope attr-dict";
  let hasVerifier = 1;
}

#endif
