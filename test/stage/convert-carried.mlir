// Tiles that control flow carries, products, and homes.
// RUN: kiln-opt %s -convert-tile-to-stage | FileCheck %s
// RUN: kiln-opt %s -verify-semantics -convert-tile-to-stage -canonicalize -cse -stage-place=space=l1 -stage-allocate -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

!V = !tile.view<?xf32>
!E = tensor<64xf32>

// A sum in the storage of the tile that the loop carries; its rank-0 companion is a scalar.
// CHECK-LABEL: tile.kernel @in_place
// CHECK: %[[acc:.*]] = stage.alloc : memref<64xf32>
// CHECK: stage.write %{{.*}}, %[[acc]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK: stage.compute [64] -> f32
// CHECK: stage.compute [64] {
// CHECK-DAG: stage.read %[[acc]]
// CHECK: stage.write %{{.*}}, %[[acc]]
// CHECK: stage.compute [1] -> f32 {
// CHECK: scf.yield %{{.*}} : f32
tile.kernel @in_place(%x: !V {tile.readonly}, %y: !V) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : !E
  %none = arith.constant dense<0.0> : tensor<f32>
  %sum, %total = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero, %n = %none) -> (!E, tensor<f32>) {
    %t = tile.load %x[%k] : !V -> !E
    %r = tile.reduce %t axis 0 : !E -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      tile.yield %m : f32
    }
    %d = arith.addf %s, %t {stage.decided = #stage.home<in_place>} : !E
    %m = arith.addf %n, %r : tensor<f32>
    scf.yield %d, %m : !E, tensor<f32>
  }
  %v = tensor.extract %total[] : tensor<f32>
  %b = tile.splat %v : !E
  %o = arith.addf %sum, %b : !E
  tile.store %o, %y[%i] : !E, !V
}

// Tiles that change places go through a second storage.
// CHECK-LABEL: tile.kernel @swap
// CHECK: %[[a:.*]] = stage.alloc : memref<64xf32>
// CHECK: %[[b:.*]] = stage.alloc : memref<64xf32>
// CHECK: scf.for
// CHECK: %[[second:.*]] = stage.alloc : memref<64xf32>
// CHECK: stage.read %[[b]]
// CHECK: stage.write %{{.*}}, %[[second]]
// CHECK: %[[other:.*]] = stage.alloc : memref<64xf32>
// CHECK: stage.read %[[a]]
// CHECK: stage.write %{{.*}}, %[[other]]
// CHECK: stage.read %[[second]]
// CHECK: stage.write %{{.*}}, %[[a]]
// CHECK: stage.read %[[other]]
// CHECK: stage.write %{{.*}}, %[[b]]
tile.kernel @swap(%x: !V {tile.readonly}, %y: !V) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = tile.load %x[%c0] : !V -> !E
  %t = tile.load %x[%c1] : !V -> !E
  %p, %q = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %s, %b = %t) -> (!E, !E) {
    scf.yield %b, %a : !E, !E
  }
  tile.store %p, %y[%c0] : !E, !V
  tile.store %q, %y[%c1] : !E, !V
}

// CHECK-LABEL: tile.kernel @branches
// CHECK: %[[r:.*]] = stage.alloc : memref<64xf32>
// CHECK: scf.if
// CHECK: stage.write %{{.*}}, %[[r]]
// CHECK: } else {
// CHECK: stage.write %{{.*}}, %[[r]]
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (index) -> index
// CHECK: scf.condition
// CHECK: stage.read %[[r]]
// CHECK: tile.store
tile.kernel @branches(%x: !V {tile.readonly}, %y: !V, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = tile.load %x[%c0] : !V -> !E
  %r = scf.if %c -> !E {
    %u = arith.addf %t, %t : !E
    scf.yield %u : !E
  } else {
    scf.yield %t : !E
  }
  %n, %w = scf.while (%k = %c0, %a = %t) : (index, !E) -> (index, !E) {
    %again = arith.cmpi slt, %k, %c3 : index
    scf.condition(%again) %k, %a : index, !E
  } do {
  ^bb0(%k: index, %a: !E):
    %next = arith.addi %k, %c1 : index
    %u = arith.mulf %a, %t : !E
    scf.yield %next, %u : index, !E
  }
  tile.store %r, %y[%c0] : !E, !V
  tile.store %w, %y[%c1] : !E, !V
}

// The exponential is written by the reduction, the product adds to storage, and a reshape that divides a dimension
// sees storage without gaps.
// CHECK-LABEL: tile.kernel @rest
// CHECK: %[[kept:.*]] = stage.alloc : memref<8x16xf32>
// CHECK: stage.compute [8, 16] {
// CHECK: %[[e:.*]] = math.exp
// CHECK: stage.write %[[e]], %[[kept]]
// CHECK: tile.reduce %[[e]]
// CHECK: %[[c:.*]] = stage.alloc : memref<8x8xf32>
// CHECK: stage.compute [8, 8] {
// CHECK: stage.write %{{.*}}, %[[c]]
// CHECK: stage.compute [8, 8] {
// CHECK-DAG: stage.read %[[kept]]
// CHECK-DAG: %[[s:.*]] = stage.read %[[c]]
// CHECK: %[[d:.*]] = tile.dot {{.*}}, %[[s]]
// CHECK: stage.write %[[d]], %[[c]]
// CHECK: %[[flat:.*]] = stage.alloc : memref<64xf32>
// CHECK: memref.reinterpret_cast %[[flat]]
// CHECK: %[[seen:.*]] = memref.reinterpret_cast %[[flat]]
// CHECK: %[[whole:.*]] = stage.alloc : memref<128xf32>
// CHECK: stage.read %[[seen]]
// CHECK: stage.write %{{.*}}, %[[whole]][%{{.*}}]
tile.kernel @rest(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !V, %z: !V) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<8x16xf32>
  %e = math.exp %t {stage.decided = #stage.home<fuse>} : tensor<8x16xf32>
  %m = tile.reduce %e axis 1 : tensor<8x16xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %zero = arith.constant dense<1.0> : tensor<8x8xf32>
  %u = tile.transpose %e [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  %d = tile.dot %e, %u, %zero : tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x8xf32>
  %f = tile.reshape %d : tensor<8x8xf32> -> !E
  %w = tile.cat %f, %f axis 0 : !E, !E -> tensor<128xf32>
  %g = tile.scan %m axis 0 : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %w, %y[%c0] : tensor<128xf32>, !V
  tile.store %g, %z[%c0] : tensor<8xf32>, !V
}
