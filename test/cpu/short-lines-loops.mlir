// Lines under masks in nests whose loops count other coordinates than those of the line: a mask is computed in front of
// the read that it is for, whichever loop that belongs to.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v4},convert-stage-to-cpu)' | FileCheck %s
// REQUIRES: x86_64

!B = memref<64x32xf32, affine_map<(k, c) -> (c floordiv 32, k, c mod 32)>, #stage.space<"l1">>
!A = memref<4x64xf32, affine_map<(r, k) -> (r floordiv 4, k, r mod 4)>, #stage.space<"l1">>
!C = memref<3x15xf32, strided<[32, 1]>, #stage.space<"l1">>
!S = memref<20xf32, #stage.space<"l1">>

// A product of one step: the loop over steps counts nothing that the panel of the right factor reads.
// CHECK-LABEL: func.func @one_step
// CHECK-COUNT-3: scf.for
// CHECK-COUNT-9: llvm.intr.masked.load
// CHECK: scf.for
// CHECK-NOT: llvm.intr.masked.load
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: cpu.micro_kernel
tile.kernel @one_step(%x: !tile.view<3x1xf32> {tile.readonly}, %y: !tile.view<1x3x5xf32, strides = [10, 5, 1]> {tile.readonly}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c15 = arith.constant 15 : index
  %true = arith.constant true
  %sum = stage.alloc {align = 64 : i64, offset = 9344 : i64, slack = 320 : i64} : !C
  %a = stage.alloc {align = 64 : i64, offset = 8256 : i64, slack = 64 : i64} : !A
  %b = stage.alloc {align = 64 : i64, offset = 0 : i64, slack = 64 : i64} : !B
  stage.compute [3, 1] from [%c0, %c0] to [%c3, %c1] {
    %t = tile.load %x at [%c0, %c0] : !tile.view<3x1xf32> -> tensor<3x1xf32>
    stage.write %t, %a[%c0, %c0] : tensor<3x1xf32>, !A
  }
  stage.compute [1, 15] from [%c0, %c0] to [%c1, %c15] {
    %t = tile.load %y at [%c0, %c0, %c0] : !tile.view<1x3x5xf32, strides = [10, 5, 1]> -> tensor<3x5xf32>
    %row = tile.reshape %t : tensor<3x5xf32> -> tensor<1x15xf32>
    stage.write %row, %b[%c0, %c0] : tensor<1x15xf32>, !B
  }
  stage.product %a[%c0, %c0], %b[%c0, %c0], %sum[%c0, %c0] depth %c1 rows %c3 columns %c15 fresh %true block [4, 32, 64] by @fma.f32 : !A, !B, !C
}

// The loop over what is added up is inside of the one over lanes, and lines begin elsewhere in each of its iterations.
// CHECK-LABEL: func.func @inner_loop
// CHECK: scf.for %{{.*}} = %c1_i64 to %c21_i64
// CHECK: %[[mask:.*]] = arith.andi {{.*}} : vector<16xi1>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[mask]],
tile.kernel @inner_loop(%x: !tile.view<60x7xf32> {tile.readonly}) {
  %c0 = arith.constant 0 : index
  %s = stage.alloc {align = 64 : i64, offset = 0 : i64, slack = 64 : i64} : !S
  stage.compute [21, 20] {
    %t = tile.load %x[%c0, %c0] : !tile.view<60x7xf32> -> tensor<60x7xf32>
    %lines = tile.reshape %t : tensor<60x7xf32> -> tensor<21x20xf32>
    %sums = tile.reduce %lines axis 0 : tensor<21x20xf32> -> tensor<20xf32> {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      tile.yield %r : f32
    }
    stage.write %sums, %s : tensor<20xf32>, !S
  }
}
