// A load that requests the iteration before that of its users waits in registers. What both steps need of an iteration, as the
// address that depends on its number, is computed for each of them: only what was loaded goes through the loop.
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(stage-make-rings{depth=3},stage-schedule,stage-pipeline),verify-stage-form)' | FileCheck %s
!V = !tile.view<?x64xf32>
!S = memref<1x64xf32, #stage.space<"pad">>

// CHECK-LABEL: tile.kernel @registers
// Before the loop: two slots, and what the first iteration takes, if there is one.
// CHECK: stage.produce
// CHECK: stage.produce
// CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (f32)
// CHECK-NEXT: tile.load_ptr
// CHECK: } else {
// CHECK-NEXT: arith.constant 0.000000e+00 : f32
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[NOW:.*]] = %[[FIRST]]) -> (f32)
// CHECK: %[[ROOM:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : index
// CHECK: %[[ANOTHER:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : index
// CHECK: scf.if %[[ROOM]]
// CHECK-NEXT: stage.produce
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: %[[AFTER:.*]] = arith.muli %[[NEXT]], %{{.*}} : index
// CHECK: %[[BASE:.*]] = tile.ptr_add %arg1, %[[AFTER]]
// CHECK: %[[LOADED:.*]] = scf.if %[[ANOTHER]] -> (f32)
// CHECK-NEXT: tile.load_ptr %[[BASE]]
// CHECK: %[[OWN:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[PLACE:.*]] = tile.ptr_add %arg2, %[[OWN]]
// CHECK: tile.make_view %[[PLACE]]
// CHECK: tile.splat %[[NOW]]
// CHECK: scf.yield %[[LOADED]] : f32
tile.kernel @registers(%x: !V {tile.readonly}, %y: !tile.ptr<f32> {tile.readonly}, %z: !tile.ptr<f32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %end = tile.dim %x[0] : !V
  scf.for %i = %c0 to %end step %c1 {
    %a = stage.alloc : !S
    stage.copy %x[%i, %c0] to %a : !V, !S
    %begin = arith.muli %i, %c64 : index
    %p = tile.ptr_add %y, %begin : !tile.ptr<f32>, index
    %b = tile.load_ptr %p {at = #stage.at<-2, 0>} : !tile.ptr<f32> -> f32
    %q = tile.ptr_add %z, %begin : !tile.ptr<f32>, index
    %to = tile.make_view %q : !tile.ptr<f32> -> !tile.view<1x64xf32>
    stage.compute [1, 64] {
      %t = stage.read %a : !S -> tensor<1x64xf32>
      %r = tile.splat %b : tensor<1x64xf32>
      %s = arith.addf %t, %r : tensor<1x64xf32>
      tile.store %s, %to[%c0, %c0] : tensor<1x64xf32>, !tile.view<1x64xf32>
    }
  }
}
