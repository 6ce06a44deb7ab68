// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels print and why they stop are records: one thread asks for space, all write their elements. Where an
// assertion fails all threads of the block end.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' --mlir-print-local-scope | FileCheck %s

#six = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4]], warp = []>

// 9 + 1 words, a text of one word, 24 bytes of elements.
// CHECK-LABEL: llvm.func @values(
// CHECK-SAME: , shared_bytes = 16,
// CHECK: simt.load
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[PLACE:.*]] = simt.output 112 : !llvm.ptr
// CHECK-NEXT: llvm.store %[[PLACE]], %[[SHARED:.*]] : !llvm.ptr, !llvm.ptr<3>
// CHECK-NEXT: %[[IS:.*]] = llvm.icmp "ne" %[[PLACE]],
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK: llvm.store %c112_i64, %[[PLACE]]
// CHECK: gpu.barrier
// CHECK-NEXT: %[[ALL:.*]] = llvm.load %[[SHARED]] : !llvm.ptr<3> -> !llvm.ptr
// CHECK: llvm.getelementptr %[[ALL]][88]
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr
// A scalar is printed by one thread.
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[PLACE:.*]] = simt.output 88 : !llvm.ptr
// CHECK-NOT: gpu.barrier
// CHECK: llvm.return
tile.kernel @values(%x: !tile.view<?xf32> {tile.readonly}, %n: i32) attributes {warps = 4 : i64} {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<6xf32, #six>
  tile.print "a: " %a : tensor<6xf32, #six>
  tile.print "n: " hex %n : i32
}

// CHECK-LABEL: llvm.func @holds(
// One thread that finds something is enough, and what is no element does not count.
// CHECK: %[[MINE:.*]] = arith.andi %{{.*}} : i1
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
// CHECK: llvm.store %c0_i32, %[[FLAG:.*]] : i32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: scf.if %[[MINE]] {
// CHECK-NEXT: llvm.store %c1_i32, %[[FLAG]] : i32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-NEXT: %[[FOUND:.*]] = llvm.load %[[FLAG]]
// CHECK-NEXT: %[[FAILS:.*]] = arith.cmpi ne, %[[FOUND]], %c0_i32
// CHECK-NEXT: scf.if %[[FAILS]] {
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: simt.output
// CHECK: simt.stop
// A scalar is the same everywhere.
// CHECK-NOT: gpu.barrier
// CHECK: simt.stop
tile.kernel @holds(%x: !tile.view<?xi1> {tile.readonly}, %ok: i1) attributes {warps = 4 : i64} {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xi1> -> tensor<6xi1, #six>
  tile.assert %a, "one is wrong" : tensor<6xi1, #six>
  tile.assert %ok, "all is wrong" : i1
}
