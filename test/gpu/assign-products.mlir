// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product takes the first row of the description that fits it; warps share out its result. What no row fits is
// computed by threads one by one.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

#tall = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#deep = #simt.layout<rank = 2, register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>

!A = tensor<32x32xf16>
!B = tensor<32x32xf16>
!C = tensor<32x32xf32>

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one",
  memories = [#kiln.memory<name = "shared", scope = core, kind = explicit>],
  units = [#kiln.unit<name = "square", kind = matrix, types = [f16]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "deep", unit = "square", m = <16>, n = <8>, k = <512>,
      lhs = <types = [f16], layout = #tall>, rhs = <types = [f16], layout = #deep>, acc = <types = [f32], layout = #tall>>,
    #kiln.matrix_instruction<name = "no-layouts", unit = "square", m = <16>, n = <8>, k = <8>,
      lhs = <types = [f16]>, rhs = <types = [f16]>, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "fits", unit = "square", m = <16>, n = <8>, k = <8>,
      lhs = <types = [f16], layout = #tall>, rhs = <types = [f16], layout = #deep>, acc = <types = [f32], layout = #tall>>]>} {

// Four warps: two by two, half of the rows and half of the columns each; factors have copies along the other side.
// CHECK-LABEL: tile.kernel @row
// CHECK-DAG: simt.convert_layout {{.*}} -> tensor<32x32xf16, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [8, 0], {{.*}}, lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0]]>>
// CHECK-DAG: simt.convert_layout {{.*}} -> tensor<32x32xf16, #simt.layout<rank = 2, register = {{\[\[}}1, 0], {{.*}}, lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 0], [0, 8]]>>
// CHECK: tile.dot {{.*}} {simt.decided = {row = "fits"}} {{.*}}, tensor<32x32xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [8, 0], [0, 16]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 8]]>>
tile.kernel @row(%x: !tile.view<32x32xf16> {tile.readonly, tile.align = 16}, %y: !tile.view<32x32xf16> {tile.readonly, tile.align = 16},
                 %z: !tile.view<32x32xf32> {tile.align = 16}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !C
  %a = tile.load %x[%c0, %c0] : !tile.view<32x32xf16> -> !A
  %b = tile.load %y[%c0, %c0] : !tile.view<32x32xf16> -> !B
  %d = tile.dot %a, %b, %zero : !A, !B, !C
  tile.store %d, %z[%c0, %c0] : !C, !tile.view<32x32xf32>
}

// CHECK-LABEL: tile.kernel @other
// CHECK: tile.dot
// CHECK-NOT: simt.decided
tile.kernel @other(%x: !tile.view<32x32xf32> {tile.readonly, tile.align = 16}, %y: !tile.view<32x32xf32> {tile.readonly, tile.align = 16},
                   %z: !tile.view<32x32xf32> {tile.align = 16}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !C
  %a = tile.load %x[%c0, %c0] : !tile.view<32x32xf32> -> tensor<32x32xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<32x32xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %zero : tensor<32x32xf32>, tensor<32x32xf32>, !C
  tile.store %d, %z[%c0, %c0] : !C, !tile.view<32x32xf32>
}

// Where one product goes into the next one, each warp has whole rows: what is reduced along them, and the second left
// factor, stay with the warp. Weights of each element that come from before the loop are computed where sums are.
// CHECK-LABEL: tile.kernel @chained
// CHECK: tile.load %arg2
// CHECK: %[[W:.*]] = simt.convert_layout {{.*}} -> tensor<64x32xf16, #simt.layout<{{.*}} warp = {{\[\[}}16, 0], [32, 0]]>>
// CHECK: scf.for
// CHECK: arith.mulf %[[W]], {{.*}} : tensor<64x32xf16, #simt.layout<{{.*}} warp = {{\[\[}}16, 0], [32, 0]]>>
// CHECK-NOT: simt.convert_layout {{.*}}tensor<64x32xf32
// CHECK: tile.dot {{.*}} tensor<64x32xf32, #simt.layout<{{.*}} warp = {{\[\[}}16, 0], [32, 0]]>>
// CHECK: tile.dot {{.*}} tensor<64x32xf32, #simt.layout<{{.*}} warp = {{\[\[}}16, 0], [32, 0]]>>
tile.kernel @chained(%x: !tile.view<64x32xf16> {tile.readonly, tile.align = 16}, %y: !tile.view<?x32xf16> {tile.readonly, tile.align = 16},
                     %w: !tile.view<64x32xf16> {tile.readonly, tile.align = 16}, %z: !tile.view<64x32xf32> {tile.align = 16}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %y[0] by 32 : !tile.view<?x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %two = arith.constant dense<2.0> : tensor<64x32xf16>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x32xf16> -> tensor<64x32xf16>
  %weights = tile.load %w[%c0, %c0] : !tile.view<64x32xf16> -> tensor<64x32xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x32xf32> {
    %b = tile.load %y[%i, %c0] : !tile.view<?x32xf16> -> tensor<32x32xf16>
    %more = arith.mulf %weights, %two : tensor<64x32xf16>
    %start = arith.extf %more : tensor<64x32xf16> to tensor<64x32xf32>
    %s = tile.dot %a, %b, %start : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    %p = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xf16>
    %d = tile.dot %p, %b, %sum : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  tile.store %r, %z[%c0, %c0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}

// A product has the layout of its instruction, also where its factors come from before the loop and it would be cheap
// to compute again in the layout of the next one.
// CHECK-LABEL: tile.kernel @again
// CHECK: scf.for
// CHECK: tile.dot {{.*}} {simt.decided = {row = "fits"}} {{.*}}, tensor<32x32xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [8, 0], {{.*}}lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
// CHECK: simt.convert_layout {{.*}} tensor<32x32xf{{(16|32)}}
// CHECK: tile.dot {{.*}} {simt.decided = {row = "fits"}}
tile.kernel @again(%x: !tile.view<32x8xf16> {tile.readonly, tile.align = 16}, %y: !tile.view<8x32xf16> {tile.readonly, tile.align = 16},
                   %w: !tile.view<?x32xf16> {tile.readonly, tile.align = 16}, %z: !tile.view<64x32xf32> {tile.align = 16}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %w[0] by 64 : !tile.view<?x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %none = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<32x8xf16> -> tensor<32x8xf16>
  %b = tile.load %y[%c0, %c0] : !tile.view<8x32xf16> -> tensor<8x32xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x32xf32> {
    %c = tile.load %w[%i, %c0] : !tile.view<?x32xf16> -> tensor<64x32xf16>
    %s = tile.dot %a, %b, %none : tensor<32x8xf16>, tensor<8x32xf16>, tensor<32x32xf32>
    %p = arith.truncf %s : tensor<32x32xf32> to tensor<32x32xf16>
    %d = tile.dot %c, %p, %sum : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  tile.store %r, %z[%c0, %c0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}
}
