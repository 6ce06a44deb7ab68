// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that is no access takes a layout from its operands, is made again, or is converted.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{lanes=48}))' 2>&1 | FileCheck %s --check-prefix=LANES
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// LANES: assign-values.mlir:[[#@LINE+9]]:1: error: expected lanes to be a power of two, found 48

!V = !tile.view<8x256xf32>

// What is reduced lies in lanes; what is left, in warps. The broadcast back needs no conversion.
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.reduce {{.*}} tensor<4x256xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [0, 128]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}1, 0], [2, 0]]>>
// CHECK-SAME: -> tensor<4xf32, #simt.layout<rank = 1, register = [], lane = [], warp = {{\[\[}}1], [2]]>>
// CHECK-NOT: simt.convert_layout
tile.kernel @rows(%x: !V {tile.readonly, tile.align = 16}, %y: !V {tile.align = 16}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !V -> tensor<4x256xf32>
  %m = tile.reduce %a axis 1 : tensor<4x256xf32> -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    tile.yield %r : f32
  }
  %e = tile.expand_dims %m axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %w = tile.broadcast %e : tensor<4x1xf32> -> tensor<4x256xf32>
  %z = arith.subf %a, %w : tensor<4x256xf32>
  tile.store %z, %y[%i, %c0] : tensor<4x256xf32>, !V
}

// Counts, constants and arithmetic on them exist once for each layout that asks for them.
// CHECK-LABEL: tile.kernel @again
// CHECK-DAG: tile.iota 0 : tensor<64xi32, #[[_:.*]]lane = {{\[\[}}0], [0], [0], [0], [1]], warp = {{\[\[}}2], [4]]>>
// CHECK-DAG: tile.iota 0 : tensor<64xi32, #simt.layout<rank = 1, register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32]]>>
// CHECK: arith.addi
// CHECK: arith.addi
// CHECK-NOT: arith.addi
// CHECK-NOT: simt.convert_layout
tile.kernel @again(%y: !tile.view<64x64xi32> {tile.align = 16}, %z: !tile.view<64xi32>) {
  %c0 = arith.constant 0 : index
  %n = tile.iota 0 : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %m = arith.addi %n, %one : tensor<64xi32>
  %e = tile.expand_dims %m axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %w = tile.broadcast %e : tensor<64x1xi32> -> tensor<64x64xi32>
  tile.store %w, %y[%c0, %c0] : tensor<64x64xi32>, !tile.view<64x64xi32>
  tile.store %m, %z[%c0] : tensor<64xi32>, !tile.view<64xi32>
}

// A loop carries the layout of what its iterations compute.
// CHECK-LABEL: tile.kernel @loop
// CHECK: scf.for {{.*}} -> (tensor<8x256xf32, [[CARRIED:#simt.layout<rank = 2, register = .*warp = .*>]]>) {
// CHECK-NOT: simt.convert_layout
// CHECK: scf.yield %{{.*}} : tensor<8x256xf32, [[CARRIED]]>
// CHECK-NOT: simt.convert_layout
tile.kernel @loop(%x: !V {tile.readonly, tile.align = 16}, %y: !V {tile.align = 16}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<8x256xf32>
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (tensor<8x256xf32>) {
    %a = tile.load %x[%i, %c0] : !V -> tensor<8x256xf32>
    %t = arith.addf %acc, %a : tensor<8x256xf32>
    scf.yield %t : tensor<8x256xf32>
  }
  tile.store %s, %y[%c0, %c0] : tensor<8x256xf32>, !V
}

// What is read along rows and written along columns is converted between.
// CHECK-LABEL: tile.kernel @turned
// CHECK: tile.load
// CHECK: simt.convert_layout %{{.*}} : tensor<32x32xf32, #{{.*}}register = {{\[\[}}0, 1], [0, 2], {{.*}} -> tensor<32x32xf32, #{{.*}}register = {{\[\[}}1, 0], [2, 0],
tile.kernel @turned(%x: !tile.view<32x32xf32> {tile.readonly, tile.align = 16},
                    %y: !tile.view<32x32xf32, strides = [1, 32]> {tile.align = 16}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<32x32xf32> -> tensor<32x32xf32>
  tile.store %a, %y[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32, strides = [1, 32]>
}

// What a reshape hands on stays where it was: the reduction of everything takes no other layout than the load.
// CHECK-LABEL: tile.kernel @flat
// CHECK-NOT: simt.convert_layout
// CHECK: tile.reshape {{.*}} tensor<8x64xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = {{\[\[}}2, 0], [4, 0]]>>
// CHECK-SAME: -> tensor<512xf32, #simt.layout<rank = 1, register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]>>
// CHECK-NOT: simt.convert_layout
tile.kernel @flat(%x: !tile.view<64x8xf32, strides = [1, 64]> {tile.readonly, tile.align = 16}, %y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<64x8xf32, strides = [1, 64]> -> tensor<64x8xf32>
  %t = tile.transpose %a [1, 0] : tensor<64x8xf32> -> tensor<8x64xf32>
  %f = tile.reshape %t : tensor<8x64xf32> -> tensor<512xf32>
  %m = tile.reduce %f axis 0 : tensor<512xf32> -> tensor<f32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    tile.yield %r : f32
  }
  %s = tensor.extract %m[] : tensor<f32>
  tile.store_ptr %y, %s : !tile.ptr<f32>, f32
}

// What is reduced goes to registers where another dimension can be shared out beside the neighbours: threads reduce alone.
// Where few neighbours lie together, what follows them in memory stays with them.
// CHECK-LABEL: tile.kernel @depth
// CHECK: tile.reduce {{.*}} tensor<8x16x32xf32, #simt.layout<rank = 3, register = {{\[\[}}0, 1, 0], [0, 2, 0], [0, 0, 4], [0, 0, 8], [0, 0, 16]], lane = {{\[\[}}0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = {{\[\[}}0, 0, 1], [0, 0, 2]]>>
// CHECK: tile.reduce {{.*}} tensor<8x4x32xf32, #simt.layout<rank = 3, register = {{.*}}, lane = {{\[\[}}0, 0, 1],
tile.kernel @depth(%x: !tile.view<8x16x32xf32, strides = [16, 1, 128]> {tile.readonly, tile.align = 16}, %y: !tile.view<8x16xf32>,
                   %u: !tile.view<8x4x32xf32, strides = [128, 1, 4]> {tile.readonly, tile.align = 16}, %v: !tile.view<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0, %c0] : !tile.view<8x16x32xf32, strides = [16, 1, 128]> -> tensor<8x16x32xf32>
  %m = tile.reduce %a axis 2 : tensor<8x16x32xf32> -> tensor<8x16xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    tile.yield %r : f32
  }
  tile.store %m, %y[%c0, %c0] : tensor<8x16xf32>, !tile.view<8x16xf32>
  %b = tile.load %u[%c0, %c0, %c0] : !tile.view<8x4x32xf32, strides = [128, 1, 4]> -> tensor<8x4x32xf32>
  %n = tile.reduce %b axis 2 : tensor<8x4x32xf32> -> tensor<8x4xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    tile.yield %r : f32
  }
  tile.store %n, %v[%c0, %c0] : tensor<8x4xf32>, !tile.view<8x4xf32>
}

// Elements stay in the layout that they have.
// CHECK-LABEL: tile.kernel @stays
// CHECK-NOT: simt.convert_layout
tile.kernel @stays(%a: !tile.view<512xf32> {tile.readonly, tile.align = 16}, %b: !tile.view<512xf32> {tile.align = 16}) {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<512xf32> -> tensor<512xf32>
  %s = tile.exchange %x axis 0 mask 64 : tensor<512xf32>
  %m = arith.maximumf %x, %s : tensor<512xf32>
  tile.store %m, %b[%z] : tensor<512xf32>, !tile.view<512xf32>
  tile.return
}
