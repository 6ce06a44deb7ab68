// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose rings are consumed an iteration and more before the last step: each slot that is filled is consumed and released once.
// RUN: kiln-opt %s --split-input-file --verify-semantics --pass-pipeline='builtin.module(tile.kernel(stage-pipeline),verify-stage-form)' | FileCheck %s
!V = !tile.view<8x64xf32>
!S = memref<1x64xf32, #stage.space<"pad">>
!R = !stage.ring<6 x (memref<1x64xf32, #stage.space<"pad">>)>

// The slot is taken two iterations early, so all iterations stay in the loop. Of five slots that are filled, five are consumed and released.
// CHECK-LABEL: tile.kernel @two_ahead
// CHECK: stage.produce
// CHECK: stage.produce
// CHECK: stage.consume
// CHECK: stage.produce
// CHECK: stage.consume
// CHECK-NOT: stage.produce
// CHECK: scf.for %{{.*}} = %c0 to %c2 step
// CHECK: stage.produce
// CHECK: stage.consume
// CHECK: stage.release
// CHECK: scf.yield
// CHECK-NOT: stage.produce
// CHECK: stage.release
// CHECK-NEXT: stage.release
// CHECK-NEXT: stage.consume
// CHECK-NEXT: stage.release
// CHECK-NOT: stage.release
tile.kernel @two_ahead(%x: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ring = stage.ring : !R
  scf.for %i = %c0 to %c2 step %c1 {
    stage.produce %ring -> (%part) {at = #stage.at<0, 0>} : !R {
      %f = stage.copy async %x[%i, %c0] to %part : !V, !S
      stage.commit %f
    }
    %full = stage.consume %ring {at = #stage.at<1, 1>} : !R
    stage.compute [1, 64] attributes {at = #stage.at<3, 2>} {
      %t = stage.read %full : !S -> tensor<1x64xf32>
      tile.store %t, %z[%i, %c0] : tensor<1x64xf32>, !V
    }
    stage.release %ring {at = #stage.at<3, 3>} : !R
  }
}

// -----
!V = !tile.view<8x64xf32>
!S = memref<1x64xf32, #stage.space<"pad">>
!R = !stage.ring<6 x (memref<1x64xf32, #stage.space<"pad">>)>

// The only iteration stands behind the loop, with the row that it stores. What it yields comes from outside of the loop, which ends before that iteration.
// CHECK-LABEL: tile.kernel @one
// CHECK: %[[ROW:.*]] = arith.constant 3 : index
// CHECK: tile.store %{{.*}}, %arg1[%[[ROW]], %{{.*}}]
tile.kernel @one(%x: !V {tile.readonly}, %y: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %ring = stage.ring : !R
  %row = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %c0) -> (index) {
    stage.produce %ring -> (%part) {at = #stage.at<0, 0>} : !R {
      %f = stage.copy async %x[%i, %c0] to %part : !V, !S
      stage.commit %f
    }
    %full = stage.consume %ring {at = #stage.at<1, 1>} : !R
    stage.compute [1, 64] attributes {at = #stage.at<2, 2>} {
      %t = stage.read %full : !S -> tensor<1x64xf32>
      tile.store %t, %y[%i, %c0] : tensor<1x64xf32>, !V
    }
    stage.release %ring {at = #stage.at<2, 3>} : !R
    scf.yield %c3 : index
  }
  stage.compute [1, 64] {
    %t = tile.load %x[%c1, %c0] : !V -> tensor<1x64xf32>
    tile.store %t, %y[%row, %c0] : tensor<1x64xf32>, !V
  }
}
