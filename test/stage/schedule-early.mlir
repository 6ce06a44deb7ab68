// An operation that asks to run one iteration before the rest has a ring of its own, which is filled beyond the last iteration:
// with what the last one reads.
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(stage-make-rings{depth=3},stage-schedule{ahead=1},stage-pipeline),verify-stage-form)' | FileCheck %s
!V = !tile.view<?x64xf32>
!S = memref<1x64xf32, #stage.space<"pad">>

// CHECK-LABEL: tile.kernel @early
// CHECK: %[[FIRST:.*]] = stage.ring : !stage.ring<3 x
// CHECK: %[[LAST:.*]] = arith.maxsi
// CHECK: %[[OTHER:.*]] = stage.ring : !stage.ring<3 x
// Before the loop: two slots of the first ring, one of the other, and the first sum.
// CHECK: stage.produce %[[FIRST]]
// CHECK: stage.produce %[[FIRST]]
// CHECK: scf.if
// CHECK-NEXT: stage.produce %[[OTHER]]
// CHECK: stage.consume %[[FIRST]]
// CHECK: %[[SUM:.*]] = stage.compute [1] -> f32
// CHECK: stage.release %[[FIRST]]
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[NOW:.*]] = %[[SUM]])
// CHECK: %[[J:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK: stage.produce %[[FIRST]] -> (%[[PART:.*]]) :
// CHECK-NEXT: stage.copy async %{{.*}}[%[[J]], %{{.*}}] to %[[PART]]
// CHECK: scf.if
// CHECK-NEXT: stage.produce %[[OTHER]]
// CHECK: stage.consume %[[FIRST]]
// CHECK: %[[NEXT:.*]] = stage.compute [1] -> f32
// CHECK: stage.consume %[[OTHER]]
// CHECK: tile.splat %[[NOW]]
// CHECK: scf.yield %[[NEXT]]
tile.kernel @early(%x: !V {tile.readonly}, %y: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = tile.dim %x[0] : !V
  scf.for %i = %c0 to %end step %c1 {
    %a = stage.alloc : !S
    %b = stage.alloc : !S
    stage.copy %x[%i, %c0] to %a : !V, !S
    %sum = stage.compute [1] -> f32 attributes {at = #stage.at<-1, 0>} {
      %t = stage.read %a : !S -> tensor<1x64xf32>
      %one = tensor.extract %t[%c0, %c1] : tensor<1x64xf32>
      stage.yield %one : f32
    }
    stage.copy %y[%i, %c0] to %b : !V, !S
    stage.compute [1, 64] {
      %q = stage.read %b : !S -> tensor<1x64xf32>
      %p = tile.splat %sum : tensor<1x64xf32>
      %s = arith.addf %p, %q : tensor<1x64xf32>
      tile.store %s, %z[%i, %c0] : tensor<1x64xf32>, !V
    }
  }
}
