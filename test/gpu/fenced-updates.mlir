// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of one operation on tiles are relaxed between two fences where the description says that each would cost a fence.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s

#l = #simt.layout<rank = 1, register = [[64], [128]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#one = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", memories = [
  #kiln.memory<name = "lds", scope = core, kind = explicit>,
  #kiln.memory<name = "global", scope = device, kind = cached>], extra = {fenced_updates}>} {

// CHECK-LABEL: llvm.func @both(
// CHECK-NOT: simt.atomic_rmw
// CHECK: simt.fence release device
// CHECK-COUNT-4: simt.atomic_rmw add monotonic device
// CHECK: simt.fence acquire device
// CHECK-NOT: simt.fence
tile.kernel @both(%x: !tile.ptr<i32>) attributes {warps = 2 : i64} {
  %i = tile.iota 0 : tensor<256xi32, #l>
  %b = tile.splat %x : tensor<256x!tile.ptr<i32>, #l>
  %p = tile.ptr_add %b, %i : tensor<256x!tile.ptr<i32>, #l>, tensor<256xi32, #l>
  %o = tile.atomic_rmw add acq_rel device %p, %i : tensor<256x!tile.ptr<i32>, #l>, tensor<256xi32, #l>
}

// CHECK-LABEL: llvm.func @release(
// CHECK: simt.fence release system
// CHECK-COUNT-4: simt.atomic_cas monotonic system
// CHECK-NOT: simt.fence
tile.kernel @release(%x: !tile.ptr<i32>) attributes {warps = 2 : i64} {
  %i = tile.iota 0 : tensor<256xi32, #l>
  %b = tile.splat %x : tensor<256x!tile.ptr<i32>, #l>
  %p = tile.ptr_add %b, %i : tensor<256x!tile.ptr<i32>, #l>, tensor<256xi32, #l>
  %o = tile.atomic_cas release system %p, %i, %i : tensor<256x!tile.ptr<i32>, #l>, tensor<256xi32, #l>
}

// A single update has the order itself, and relaxed ones need none.
// CHECK-LABEL: llvm.func @plain(
// CHECK-NOT: simt.fence
// CHECK: simt.atomic_rmw add acq_rel device
// CHECK-COUNT-4: simt.atomic_rmw add monotonic device
// CHECK-NOT: simt.fence
tile.kernel @plain(%x: !tile.ptr<i32>) attributes {warps = 2 : i64} {
  %i1 = tile.iota 0 : tensor<64xi32, #one>
  %b1 = tile.splat %x : tensor<64x!tile.ptr<i32>, #one>
  %p1 = tile.ptr_add %b1, %i1 : tensor<64x!tile.ptr<i32>, #one>, tensor<64xi32, #one>
  %o1 = tile.atomic_rmw add acq_rel device %p1, %i1 : tensor<64x!tile.ptr<i32>, #one>, tensor<64xi32, #one>
  %i = tile.iota 0 : tensor<256xi32, #l>
  %b = tile.splat %x : tensor<256x!tile.ptr<i32>, #l>
  %p = tile.ptr_add %b, %i : tensor<256x!tile.ptr<i32>, #l>, tensor<256xi32, #l>
  %o = tile.atomic_rmw add relaxed device %p, %i : tensor<256x!tile.ptr<i32>, #l>, tensor<256xi32, #l>
}
}
