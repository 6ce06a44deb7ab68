// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers say which memories they order where the description asks for it: shared memory alone, unless accesses to global
// memory meet across them.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s

#l = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", memories = [
  #kiln.memory<name = "lds", scope = core, kind = explicit>,
  #kiln.memory<name = "global", scope = device, kind = cached, barriers_order = false>]>} {

// The gather exchanges elements; what it reads and writes of global memory has nothing in common.
// CHECK-LABEL: llvm.func @exchanged(
// CHECK: simt.barrier shared{{$}}
// CHECK-NOT: barrier
tile.kernel @exchanged(%x: !tile.view<128xf32> {tile.readonly}, %n: !tile.view<128xi32> {tile.readonly},
                       %y: !tile.view<128xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32, #l>
  %i = tile.load %n[%c0] : !tile.view<128xi32> -> tensor<128xi32, #l>
  %g = tile.gather %a by %i axis 0 : tensor<128xf32, #l>, tensor<128xi32, #l> -> tensor<128xf32, #l>
  tile.store %g, %y[%c0] : tensor<128xf32, #l>, !tile.view<128xf32>
}

// Here a thread writes where another one has read before: the barrier within the gather does not order that.
// CHECK-LABEL: llvm.func @met(
// CHECK: simt.barrier shared
// CHECK: simt.barrier all
// CHECK-NOT: barrier
// CHECK: simt.store
tile.kernel @met(%x: !tile.view<128xf32>, %n: !tile.view<128xi32> {tile.readonly}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32, #l>
  %i = tile.load %n[%c0] : !tile.view<128xi32> -> tensor<128xi32, #l>
  %g = tile.gather %a by %i axis 0 : tensor<128xf32, #l>, tensor<128xi32, #l> -> tensor<128xf32, #l>
  tile.store %g, %x at [%c1] : tensor<128xf32, #l>, !tile.view<128xf32>
}

// A barrier for their sake alone.
// CHECK-LABEL: llvm.func @moved(
// CHECK: simt.load
// CHECK-NEXT: simt.barrier all
// CHECK: simt.store
tile.kernel @moved(%x: !tile.view<256xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.load %x[%c0] : !tile.view<256xf32> -> tensor<128xf32, #l>
  tile.store %a, %x at [%c1] : tensor<128xf32, #l>, !tile.view<256xf32>
}

// What one thread finds by an atomic operation says what others may read.
// CHECK-LABEL: llvm.func @told(
// CHECK: simt.atomic_rmw
// CHECK: simt.barrier all
// CHECK: simt.load
tile.kernel @told(%p: !tile.ptr<i32> {tile.noalias}, %x: !tile.view<128xf32> {tile.noalias}, %y: !tile.view<128xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c1 = arith.constant 1 : i32
  %o = tile.atomic_rmw add acquire device %p, %c1 : !tile.ptr<i32>, i32
  %at = arith.index_cast %o : i32 to index
  %a = tile.load %x at [%at] : !tile.view<128xf32> -> tensor<128xf32, #l>
  tile.store %a, %y at [%at] : tensor<128xf32, #l>, !tile.view<128xf32>
}

// The barrier between two exchanges stands where the read is done, too: it orders both, also across iterations.
// CHECK-LABEL: llvm.func @turns(
// CHECK: scf.for
// CHECK: simt.barrier all
// CHECK: simt.store
tile.kernel @turns(%x: !tile.view<?xf32>, %n: !tile.view<128xi32> {tile.readonly}, %end: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.load %n[%c0] : !tile.view<128xi32> -> tensor<128xi32, #l>
  scf.for %k = %c0 to %end step %c1 {
    %a = tile.load %x at [%k] : !tile.view<?xf32> -> tensor<128xf32, #l>
    %g = tile.gather %a by %i axis 0 : tensor<128xf32, #l>, tensor<128xi32, #l> -> tensor<128xf32, #l>
    tile.store %g, %x at [%k] : tensor<128xf32, #l>, !tile.view<?xf32>
  }
}
}
