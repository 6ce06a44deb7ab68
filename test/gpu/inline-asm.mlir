// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly works on packs: the layout keeps their elements in one thread, which joins them in registers. What the
// text means only a target knows.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-insert-barriers),convert-tile-to-simt,nvidia-lower-simt)' 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: llvm.func @packs(
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.shli %{{.*}}, %c8_i32 : i32
// CHECK: arith.shli %{{.*}}, %c24_i32 : i32
// CHECK: %[[R:.*]] = simt.inline_asm "four" isa "machine" constraints "=r,r" pure(%{{.*}}) : (i32) -> i32
// CHECK: arith.trunci %[[R]] : i32 to i8
// CHECK: arith.shrui %[[R]], %c8_i32
// CHECK: simt.store
tile.kernel @packs(%x: !tile.view<512xi8> {tile.readonly, tile.align = 16}, %y: !tile.view<512xi8> {tile.align = 16}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<512xi8> -> tensor<512xi8>
  // OTHER: inline-asm.mlir:[[#@LINE+1]]:{{.*}} error: unsupported: inline assembly of 'machine'
  %b = tile.inline_asm "four" isa "machine" constraints "=r,r" pack 4 pure (%a) : (tensor<512xi8>) -> tensor<512xi8>
  tile.store %b, %y[%c0] : tensor<512xi8>, !tile.view<512xi8>
}

// Floats of 16 bits are their bits; f32 stays what it is.
// CHECK-LABEL: llvm.func @floats(
// CHECK: arith.bitcast %{{.*}} : f16 to i16
// CHECK: simt.inline_asm "half" isa "machine" constraints "=f,h" pure(%{{.*}}) : (i16) -> f32
tile.kernel @floats(%x: f16, %y: !tile.ptr<f32>) {
  %b = tile.inline_asm "half" isa "machine" constraints "=f,h" pack 1 pure (%x) : (f16) -> f32
  tile.store_ptr %y, %b : !tile.ptr<f32>, f32
}

// What has effects runs once.
// CHECK-LABEL: llvm.func @effects(
// CHECK: scf.if
// CHECK-NEXT: simt.inline_asm "once" isa "machine" constraints "r"(%{{.*}}) : (i32) -> ()
tile.kernel @effects(%x: i32) {
  tile.inline_asm "once" isa "machine" constraints "r" pack 1 (%x) : (i32) -> ()
}

// What it gives goes to the others.
// CHECK-LABEL: llvm.func @found(
// CHECK: scf.if
// CHECK-NEXT: %[[V:.*]] = simt.inline_asm "clock" isa "machine" constraints "=r"() : () -> i32
// CHECK-NEXT: llvm.store %[[V]], %[[S:.*]] : i32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load %[[S]] : !llvm.ptr<3> -> i32
tile.kernel @found(%p: !tile.ptr<i32>) {
  %a = tile.inline_asm "clock" isa "machine" constraints "=r" pack 1 () : () -> i32
  tile.store_ptr %p, %a : !tile.ptr<i32>, i32
}

// The same of a tile of which threads hold copies, two elements in a register.
// CHECK-LABEL: llvm.func @copies(
// CHECK: %[[R:.*]] = scf.if %[[FIRST:.*]] -> (i32) {
// CHECK-NEXT: %[[V:.*]] = simt.inline_asm "two" isa "machine" constraints "=r,r"(%{{.*}}) : (i32) -> i32
// CHECK-NEXT: scf.yield %[[V]]
// CHECK: arith.trunci %[[R]] : i32 to i16
// CHECK: scf.if %[[FIRST]] {
// CHECK-COUNT-2: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.load
tile.kernel @copies(%x: !tile.view<16xf16> {tile.readonly}, %y: !tile.view<16xf16>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<16xf16> -> tensor<16xf16>
  %b = tile.inline_asm "two" isa "machine" constraints "=r,r" pack 2 (%a) : (tensor<16xf16>) -> tensor<16xf16>
  tile.store %b, %y[%c0] : tensor<16xf16>, !tile.view<16xf16>
}
