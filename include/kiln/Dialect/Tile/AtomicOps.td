// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic accesses through pointers.
#ifndef KILN_DIALECT_TILE_ATOMICOPS_TD
#define KILN_DIALECT_TILE_ATOMICOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Atomic read-modify-write";
  let description = [{
    For every enabled lane: old = *ptr; *ptr = kind(old, value).

    - `kind`: the function that combines old and value.
    - `order`, `scope`: the memory order, and the threads for which it holds.
    - `ptr`: the address of each element.
    - `value`: the right operand of that function.
    - `mask`: which lanes are enabled; all of them without it.
    - `result`: old, or an unspecified value in disabled lanes.

    Constraints:
    - (C1) Value and result have the shape of the pointers and the type that they point to.
    - (C2) The mask has one bit for every pointer.
    - (C3) `fadd` is for floats; bit operations, `add` and unsigned kinds are for integers.

    Numerics: integer kinds wrap; `max` and `min` are signed on integers and IEEE maximumNumber and
    minimumNumber on floats; `fadd` rounds once.

    Since: 0.1.

    Example:
    ```mlir
    %old = tile.atomic_rmw fadd relaxed device %p, %x mask %m : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_MemoryOrder:$order, Tile_MemoryScope:$scope,
    Tile_PtrLike:$ptr, Tile_NumberLike:$value, Optional<Tile_MaskLike>:$mask);
  let results = (outs Tile_NumberLike:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Atomic compare and swap";
  let description = [{
    For every lane: old = *ptr; if old has the bits of `compare`, *ptr = value.

    - `order`, `scope`: the memory order, and the threads for which it holds.
    - `ptr`: the address of each element.
    - `compare`: the bits that memory has to hold for `value` to be stored.
    - `result`: old.

    Constraints:
    - (C1) The other operands and the result have the shape of the pointers and the type that they
      point to.

    Since: 0.1.

    Example:
    ```mlir
    %old = tile.atomic_cas acq_rel device %p, %c, %v : !tile.ptr<i32>, i32
    ```
  }];
  let arguments = (ins Tile_MemoryOrder:$order, Tile_MemoryScope:$scope,
    Tile_PtrLike:$ptr, Tile_NumberLike:$compare, Tile_NumberLike:$value);
  let results = (outs Tile_NumberLike:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
