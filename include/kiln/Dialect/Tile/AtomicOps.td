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
    For every enabled lane: old = *ptr; *ptr = kind(old, value); the result is old, or an
    unspecified value in disabled lanes. `order` and `scope` say how other accesses are
    ordered around it. Integer kinds wrap; `max` and `min` are signed on integers and
    IEEE maximumNumber and minimumNumber on floats.
    Example:
    ```mlir
    %old = tile.atomic_rmw fadd relaxed device %p, %x mask %m : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_MemoryOrder:$order, Tile_MemoryScope:$scope,
    AnyType:$ptr, AnyType:$value, Optional<AnyType>:$mask);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Atomic compare and swap";
  let description = [{
    For every lane: old = *ptr; if old has the bits of `compare`, *ptr = value; the result is
    old.
    Example: `%old = tile.atomic_cas acq_rel device %p, %c, %v : !tile.ptr<i32>, i32`.
  }];
  let arguments = (ins Tile_MemoryOrder:$order, Tile_MemoryScope:$scope,
    AnyType:$ptr, AnyType:$compare, AnyType:$value);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
