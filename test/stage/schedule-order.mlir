// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations may ask for places among each other, too: what changes a carried value first, then what reads the next iteration's slot, then
// the rest of this iteration. What asks for nothing goes with its first user, and else to the end.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(stage-make-rings{depth=3},stage-schedule{ahead=1}))' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(stage-make-rings{depth=3},stage-schedule{ahead=1},stage-pipeline))' -o /dev/null
!V = !tile.view<?x64xf32>
!S = memref<1x64xf32, #stage.space<"pad">>

// CHECK-LABEL: tile.kernel @places
// CHECK: stage.consume {{.*}} {at = #stage.at<1, 3>}
// CHECK: stage.compute [1] -> f32 attributes {at = #stage.at<1, 4>}
// CHECK: arith.mulf {{.*}} {at = #stage.at<2, 2>}
// CHECK: arith.addf {{.*}} {at = #stage.at<2, 5>}
// CHECK: arith.negf {{.*}} {at = #stage.at<1, 6>}
// CHECK: scf.yield
tile.kernel @places(%x: !V {tile.readonly}, %z: !tile.view<1xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %end = tile.dim %x[0] : !V
  %r:2 = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zero, %before = %zero) -> (f32, f32) {
    %a = stage.alloc : !S
    stage.copy %x[%i, %c0] to %a : !V, !S
    %one = stage.compute [1] -> f32 attributes {at = #stage.at<-1, 1>} {
      %t = stage.read %a : !S -> tensor<1x64xf32>
      %e = tensor.extract %t[%c0, %c1] : tensor<1x64xf32>
      stage.yield %e : f32
    }
    %less = arith.mulf %acc, %half {at = #stage.at<0, 0>} : f32
    %sum = arith.addf %less, %one {at = #stage.at<0, 2>} : f32
    %next = arith.negf %one {at = #stage.at<-1, 3>} : f32
    scf.yield %sum, %next : f32, f32
  }
  %both = arith.addf %r#0, %r#1 : f32
  %out = tile.splat %both : tensor<1xf32>
  tile.store %out, %z[%c0] : tensor<1xf32>, !tile.view<1xf32>
}
