// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses that may meet keep their order: a barrier stands between them, unless a thread meets only what it did
// itself or the parameters say that they share nothing. Scalars that one thread computes reach all through memory.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s

#l = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// CHECK-LABEL: llvm.func @moved(
// CHECK: simt.load
// CHECK-NEXT: gpu.barrier
// CHECK: simt.store
tile.kernel @moved(%x: !tile.view<256xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.load %x[%c0] : !tile.view<256xf32> -> tensor<128xf32, #l>
  tile.store %a, %x at [%c1] : tensor<128xf32, #l>, !tile.view<256xf32>
}

// CHECK-LABEL: llvm.func @own(
// CHECK: simt.load
// CHECK-NOT: gpu.barrier
// CHECK: simt.store
tile.kernel @own(%x: !tile.view<256xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<256xf32> -> tensor<128xf32, #l>
  tile.store %a, %x[%c0] : tensor<128xf32, #l>, !tile.view<256xf32>
}

// CHECK-LABEL: llvm.func @apart(
// CHECK-NOT: gpu.barrier
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @perhaps(
// CHECK: simt.store
// CHECK-NEXT: gpu.barrier
// CHECK: simt.load
tile.kernel @apart(%x: !tile.view<256xf32> {tile.noalias}, %y: !tile.view<256xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : tensor<128xf32, #l>
  tile.store %a, %x[%c0] : tensor<128xf32, #l>, !tile.view<256xf32>
  %b = tile.load %y[%c0] : !tile.view<256xf32> -> tensor<128xf32, #l>
  tile.store %b, %y[%c0] : tensor<128xf32, #l>, !tile.view<256xf32>
}
tile.kernel @perhaps(%x: !tile.view<256xf32>, %y: !tile.view<256xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : tensor<128xf32, #l>
  tile.store %a, %x[%c0] : tensor<128xf32, #l>, !tile.view<256xf32>
  %b = tile.load %y[%c0] : !tile.view<256xf32> -> tensor<128xf32, #l>
  tile.store %b, %y[%c0] : tensor<128xf32, #l>, !tile.view<256xf32>
}

// Threads have copies of 32 elements: each writes what another may yet read.
// CHECK-LABEL: llvm.func @copies(
// CHECK: simt.load
// CHECK-NEXT: gpu.barrier
// CHECK: simt.store
#copies = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
tile.kernel @copies(%x: !tile.view<32xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<32xf32> -> tensor<32xf32, #copies>
  tile.store %a, %x[%c0] : tensor<32xf32, #copies>, !tile.view<32xf32>
}

// A pointer that a loop carries may be any parameter's, whatever they do not share with one another.
// CHECK-LABEL: llvm.func @carried(
// CHECK: simt.store
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: simt.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: simt.store
tile.kernel @carried(%x: !tile.view<256xf32> {tile.noalias}, %p: !tile.ptr<f32> {tile.noalias},
                     %q: !tile.ptr<f32> {tile.noalias}, %r: !tile.ptr<f32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = arith.constant 1.0 : f32
  tile.store_ptr %p, %a : !tile.ptr<f32>, f32
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%at = %p) -> !tile.ptr<f32> {
    %b = tile.load_ptr %at volatile : !tile.ptr<f32> -> f32
    tile.store_ptr %r, %b : !tile.ptr<f32>, f32
    %isFirst = arith.cmpi eq, %i, %c0 : index
    %next = arith.select %isFirst, %q, %r : !tile.ptr<f32>
    scf.yield %next : !tile.ptr<f32>
  }
}

// A pointer that a loop only moves on is that of its parameter: nothing in the loop writes what it reads.
// CHECK-LABEL: llvm.func @advanced(
// CHECK: simt.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: simt.load
tile.kernel @advanced(%p: !tile.ptr<f32> {tile.noalias}, %r: !tile.ptr<f32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %o = arith.constant 1 : i64
  %a = arith.constant 1.0 : f32
  tile.store_ptr %p, %a : !tile.ptr<f32>, f32
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%at = %p) -> !tile.ptr<f32> {
    %b = tile.load_ptr %at volatile : !tile.ptr<f32> -> f32
    tile.store_ptr %r, %b : !tile.ptr<f32>, f32
    %next = tile.ptr_add %at, %o : !tile.ptr<f32>, i64
    scf.yield %next : !tile.ptr<f32>
  }
}

// An iteration waits for the one before.
// CHECK-LABEL: llvm.func @iterations(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: simt.load
// CHECK: gpu.barrier
// CHECK: simt.store
tile.kernel @iterations(%x: !tile.view<256xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = tile.load %x at [%i] : !tile.view<256xf32> -> tensor<128xf32, #l>
    tile.store %a, %x at [%c1] : tensor<128xf32, #l>, !tile.view<256xf32>
  }
}

// CHECK-LABEL: llvm.func @atomic(
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK-NEXT: %[[OLD:.*]] = simt.atomic_rmw add monotonic device %{{.*}} : !llvm.ptr<1>, i32
// CHECK-NEXT: llvm.store %[[OLD]], %[[PLACE:.*]] : i32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-NEXT: %[[ALL:.*]] = llvm.load %[[PLACE]] : !llvm.ptr<3> -> i32
// CHECK: simt.store %[[ALL]], %{{.*}} mask %[[FIRST]]
tile.kernel @atomic(%p: !tile.ptr<i32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias}, %v: i32) attributes {warps = 4 : i64} {
  %o = tile.atomic_rmw add relaxed device %p, %v : !tile.ptr<i32>, i32
  tile.store_ptr %q, %o : !tile.ptr<i32>, i32
}

// A gather writes its source to the memory of the block and reads what it was asked for.
// CHECK-LABEL: llvm.func @gather(
// CHECK-SAME: , shared_bytes = 512,
// CHECK: %[[N:.*]] = simt.load %{{.*}} -> i32
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK-NEXT: gpu.barrier
// CHECK: llvm.getelementptr
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
tile.kernel @gather(%x: !tile.view<128xf32> {tile.readonly}, %n: !tile.view<128xi32> {tile.readonly},
                    %y: !tile.view<128xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32, #l>
  %i = tile.load %n[%c0] : !tile.view<128xi32> -> tensor<128xi32, #l>
  %g = tile.gather %a by %i axis 0 : tensor<128xf32, #l>, tensor<128xi32, #l> -> tensor<128xf32, #l>
  tile.store %g, %y[%c0] : tensor<128xf32, #l>, !tile.view<128xf32>
}
