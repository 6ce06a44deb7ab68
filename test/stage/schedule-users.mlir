// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed of a load of the iteration before alone comes in front of the load for the next one: behind it, machines that count
// loads would wait for that, too.
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(stage-make-rings{depth=3},stage-schedule,stage-pipeline),verify-stage-form)' | FileCheck %s
!V = !tile.view<?x64xf32>
!S = memref<1x64xf32, #stage.space<"pad">>

// CHECK-LABEL: tile.kernel @users
// CHECK: scf.for {{.*}} iter_args(%[[NOW:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[E:.*]] = math.exp2 %[[NOW]]
// CHECK: %[[M:.*]] = arith.mulf %[[E]]
// CHECK: scf.if {{.*}} -> (f32)
// CHECK-NEXT: tile.load_ptr
// CHECK: stage.compute
// CHECK: tile.splat %[[M]]
tile.kernel @users(%x: !V {tile.readonly}, %y: !tile.ptr<f32> {tile.readonly}, %z: !tile.ptr<f32> {tile.noalias}, %f: f32) {
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
    %e = math.exp2 %b : f32
    %m = arith.mulf %e, %f : f32
    %q = tile.ptr_add %z, %begin : !tile.ptr<f32>, index
    %to = tile.make_view %q : !tile.ptr<f32> -> !tile.view<1x64xf32>
    stage.compute [1, 64] {
      %t = stage.read %a : !S -> tensor<1x64xf32>
      %r = tile.splat %m : tensor<1x64xf32>
      %s = arith.addf %t, %r : tensor<1x64xf32>
      tile.store %s, %to[%c0, %c0] : tensor<1x64xf32>, !tile.view<1x64xf32>
    }
  }
}

// What needs a constant of the body stays behind it.
// CHECK-LABEL: tile.kernel @constants
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: scf.yield
tile.kernel @constants(%x: !V {tile.readonly}, %y: !tile.ptr<f32> {tile.readonly}, %z: !tile.ptr<f32> {tile.noalias}, %f: f32) {
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
    %e = math.exp2 %b : f32
    %k = arith.constant 3.0 : f32
    %m = arith.mulf %e, %k : f32
    %q = tile.ptr_add %z, %begin : !tile.ptr<f32>, index
    %to = tile.make_view %q : !tile.ptr<f32> -> !tile.view<1x64xf32>
    stage.compute [1, 64] {
      %t = stage.read %a : !S -> tensor<1x64xf32>
      %r = tile.splat %m : tensor<1x64xf32>
      %s = arith.addf %t, %r : tensor<1x64xf32>
      tile.store %s, %to[%c0, %c0] : tensor<1x64xf32>, !tile.view<1x64xf32>
    }
  }
}
