// RUN: kiln-opt %s -convert-tile-to-stage -verify-stage-form | FileCheck %s
// RUN: kiln-opt %s -verify-semantics -convert-tile-to-stage -canonicalize -cse -stage-allocate -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

!V = !tile.view<?x?xf32>
!E = tensor<8x32xf32>

// Softmax: the load is computed again, the exponential is kept where that is said.
// CHECK-LABEL: tile.kernel @softmax
// CHECK: %[[m:.*]] = stage.alloc : memref<8xf32>
// CHECK-NEXT: stage.compute [8, 32] {
// CHECK: tile.load {{.*}} {stage.decided = #stage.clone<0, first>}
// CHECK: %[[r:.*]] = tile.reduce
// CHECK: stage.write %[[r]], %[[m]]
// CHECK: %[[e:.*]] = stage.alloc : memref<8x32xf32>
// CHECK: stage.compute [8, 32] {
// CHECK-DAG: stage.read %[[m]]
// CHECK-DAG: tile.load {{.*}} {stage.decided = #stage.clone<0>}
// CHECK: %[[exp:.*]] = math.exp
// CHECK: stage.write %[[exp]], %[[e]]
// CHECK: stage.compute [8, 32] {
// CHECK: stage.read %[[e]]
// CHECK: tile.reduce
// CHECK: stage.compute [8, 32] {
// CHECK-NOT: tile.load
// CHECK-DAG: stage.read %[[e]]
// CHECK: arith.divf
// CHECK: tile.store
tile.kernel @softmax(%x: !V {tile.readonly}, %y: !V) {
  %row = tile.program_id : index
  %c0 = arith.constant 0 : index
  %ninf = arith.constant 0xFF800000 : f32
  %t = tile.load %x[%row, %c0] pad %ninf : f32 : !V -> !E
  %max = tile.reduce %t axis 1 : !E -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  }
  %m1 = tile.reshape %max : tensor<8xf32> -> tensor<8x1xf32>
  %mb = tile.broadcast %m1 : tensor<8x1xf32> -> !E
  %d = arith.subf %t, %mb : !E
  %e = math.exp %d {stage.decided = #stage.home<keep>} : !E
  %sum = tile.reduce %e axis 1 : !E -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %s1 = tile.reshape %sum : tensor<8xf32> -> tensor<8x1xf32>
  %sb = tile.broadcast %s1 : tensor<8x1xf32> -> !E
  %o = arith.divf %e, %sb : !E
  tile.store %o, %y[%row, %c0] : !E, !V
}

// A load whose memory is written before its second use is kept.
// CHECK-LABEL: tile.kernel @crossed
// CHECK: %[[kept:.*]] = stage.alloc : memref<64xf32>
// CHECK: stage.compute [64] {
// CHECK: tile.load
// CHECK-NEXT: stage.write %{{.*}}, %[[kept]]
// CHECK: stage.compute [64] {
// CHECK: stage.read %[[kept]]
// CHECK: tile.store
// CHECK: stage.compute [64] {
// CHECK: stage.read %[[kept]]
// CHECK: tile.store
// In place, at equal points.
// CHECK: stage.compute [64] {
// CHECK: tile.load %arg2
// CHECK: tile.store %{{.*}}, %arg2
tile.kernel @crossed(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %z: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %a = arith.addf %t, %t : tensor<64xf32>
  tile.store %a, %x[%i] : tensor<64xf32>, !tile.view<?xf32>
  tile.store %t, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
  %u = tile.load %z[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %v = arith.mulf %u, %u : tensor<64xf32>
  tile.store %v, %z[%i] : tensor<64xf32>, !tile.view<?xf32>
}

// Loops, a scalar of a whole tile, a scan and a transpose; a store in a loop keeps a load from before it.
// CHECK-LABEL: tile.kernel @rest
// CHECK: %[[sum:.*]] = stage.compute [64] -> f32
// CHECK: scf.for
// CHECK: tile.splat %[[sum]]
tile.kernel @rest(%x: !tile.view<?xf32>, %y: !V, %z: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %sum = tile.reduce %t axis 0 : tensor<64xf32> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %r = tile.scan %t axis 0 : tensor<64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %v = tensor.extract %sum[] : tensor<f32>
  %p = arith.cmpf ogt, %v, %v : f32
  scf.for %k = %c0 to %c3 step %c1 {
    %w = tile.load %y[%k, %i] : !V -> tensor<16x8xf32>
    %u = tile.transpose %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
    %s1 = tile.reshape %sum : tensor<f32> -> tensor<1x1xf32>
    %sb = tile.broadcast %s1 : tensor<1x1xf32> -> tensor<8x16xf32>
    %o = arith.addf %u, %sb : tensor<8x16xf32>
    tile.store %o, %y[%k, %i] : tensor<8x16xf32>, !V
    tile.store %t, %x[%k] : tensor<64xf32>, !tile.view<?xf32>
  }
  scf.if %p {
    tile.store %r, %z[%c0] : tensor<64xf32>, !tile.view<?xf32>
  } else {
    tile.store %r, %z[%i] : tensor<64xf32>, !tile.view<?xf32>
  }
}
