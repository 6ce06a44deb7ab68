// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A load may be requested an iteration early in a loop without rings, too: it waits in registers.
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(stage-make-rings{depth=3},stage-schedule,stage-pipeline))' | FileCheck %s
!V = !tile.view<?x64xf32>

// CHECK-LABEL: tile.kernel @alone
// The first one is loaded in front of the loop, if there is an iteration.
// CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (tensor<1x64xf32>)
// CHECK-NEXT: tile.load %arg0
// CHECK: scf.for %{{.*}} iter_args(%[[NOW:.*]] = %[[FIRST]]) -> (tensor<1x64xf32>)
// CHECK: %[[SUM:.*]] = arith.addf %[[NOW]], %[[NOW]]
// CHECK: %[[NEXT:.*]] = scf.if %{{.*}} -> (tensor<1x64xf32>)
// CHECK-NEXT: tile.load %arg0
// CHECK: tile.store %[[SUM]], %arg1
// CHECK: scf.yield %[[NEXT]]
tile.kernel @alone(%x: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = tile.dim %x[0] : !V
  scf.for %i = %c0 to %end step %c1 {
    %a = tile.load %x[%i, %c0] {at = #stage.at<-2, 0>} : !V -> tensor<1x64xf32>
    %s = arith.addf %a, %a : tensor<1x64xf32>
    tile.store %s, %z[%i, %c0] : tensor<1x64xf32>, !V
  }
}
