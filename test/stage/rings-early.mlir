// A copy whose place an iteration computes with effects cannot be moved ahead: it stays, and the other one has a ring.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(stage-make-rings,stage-schedule,stage-pipeline),verify-stage-form)' | FileCheck %s
!V = !tile.view<?x64xf32>
!S = memref<1x64xf32, #stage.space<"pad">>

// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[ring:.*]] = stage.ring : !stage.ring<2 x (memref<1x64xf32, #stage.space<"pad">>)>
// CHECK: stage.produce %[[ring]]
// CHECK: scf.for
// CHECK: stage.produce %[[ring]]
// CHECK: %[[known:.*]] = stage.consume %[[ring]]
// CHECK: %[[row:.*]] = stage.compute [1] -> index
// CHECK: stage.copy %arg1[%[[row]], %{{.*}}] to
// CHECK: stage.release %[[ring]]
tile.kernel @rows(%x: !V {tile.readonly}, %y: !V {tile.readonly}, %which: !tile.view<?xi32> {tile.readonly},
                  %z: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.dim %x[0] : !V
  scf.for %i = %c0 to %n step %c1 {
    %a = stage.alloc : !S
    %b = stage.alloc : !S
    stage.copy %x[%i, %c0] to %a : !V, !S
    %row = stage.compute [1] -> index {
      %t = tile.load %which[%i] : !tile.view<?xi32> -> tensor<1xi32>
      %w = arith.index_cast %t : tensor<1xi32> to tensor<1xindex>
      %e = tensor.extract %w[%c0] : tensor<1xindex>
      stage.yield %e : index
    }
    stage.copy %y[%row, %c0] to %b : !V, !S
    stage.compute [1, 64] {
      %p = stage.read %a : !S -> tensor<1x64xf32>
      %q = stage.read %b : !S -> tensor<1x64xf32>
      %s = arith.addf %p, %q : tensor<1x64xf32>
      tile.store %s, %z[%i, %c0] : tensor<1x64xf32>, !V
    }
  }
}
