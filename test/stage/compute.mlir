// RUN: kiln-opt %s -canonicalize -cse | FileCheck %s
// RUN: for version in 4 5 6; do kiln-opt %s --emit-bytecode --emit-bytecode-version=$version -o %t.mlirbc && \
// RUN:   kiln-opt %t.mlirbc -canonicalize -cse | FileCheck %s || exit 1; done
// Regions whose tiles have dimensions of the box in several ways, and what canonicalisation leaves of them.

!S = memref<8x16xf32, #stage.space<"l1">>

// Rows are reduced and stored, one row of a matrix is broadcast, columns are transposed.
// CHECK-LABEL: tile.kernel @axes
tile.kernel @axes(%x: !tile.view<?x?xf32>, %row: !tile.view<?xf32>, %y: !tile.view<?xf32>, %z: !tile.view<?x?xf32>, %i: index) {
  %s = stage.alloc : !S
  // CHECK: stage.compute [8, 16]
  stage.compute [8, 16] {
    // Constants stay in the region.
    // CHECK-NEXT: arith.constant dense<2.000000e+00> : tensor<8x16xf32>
    %two = arith.constant dense<2.0> : tensor<8x16xf32>
    %t = tile.load %x[%i, %i] : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %b = tile.load %row[%i] : !tile.view<?xf32> -> tensor<16xf32>
    %c = tile.reshape %b : tensor<16xf32> -> tensor<1x16xf32>
    %d = tile.broadcast %c : tensor<1x16xf32> -> tensor<8x16xf32>
    %e = arith.addf %t, %d : tensor<8x16xf32>
    %f = arith.mulf %e, %two : tensor<8x16xf32>
    stage.write %f, %s : tensor<8x16xf32>, !S
    %r = tile.reduce %f axis 1 : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      %m = arith.maximumf %p, %q : f32
      tile.yield %m : f32
    }
    tile.store %r, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
  }
  // CHECK: stage.compute [16, 8]
  stage.compute [16, 8] {
    %t = stage.read %s : !S -> tensor<8x16xf32>
    %u = tile.transpose %t [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
    // CHECK: tile.store
    tile.store %u, %z[%i, %i] : tensor<16x8xf32>, !tile.view<?x?xf32>
  }
}

// A matrix that is read as it is and transposed has no dimensions of its own; what is reduced has.
// CHECK-LABEL: tile.kernel @both
tile.kernel @both(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>, %i: index) {
  stage.compute [8, 8] {
    %t = tile.load %x[%i, %i] : !tile.view<?x?xf32> -> tensor<8x8xf32>
    %u = tile.transpose %t [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
    %e = arith.addf %t, %u : tensor<8x8xf32>
    %r = tile.reduce %e axis 1 : tensor<8x8xf32> -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      %m = arith.maximumf %p, %q : f32
      tile.yield %m : f32
    }
    // CHECK: tile.store
    tile.store %r, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
  }
}

// What has no user goes; a prefetch stays.
// CHECK-LABEL: tile.kernel @folds
// CHECK-NOT: stage.alloc
// CHECK: stage.prefetch
tile.kernel @folds(%y: !tile.view<?xf32>, %i: index) {
  %s = stage.alloc : !S
  %f = arith.constant dense<1.0> : tensor<8xf32, {a = 1 : i64}>
  stage.prefetch %y at [%i] box [64] : !tile.view<?xf32>
  tile.store %f, %y[%i] : tensor<8xf32, {a = 1 : i64}>, !tile.view<?xf32>
}

// What lies a row ahead of the elements that a region reads.
// CHECK-LABEL: tile.kernel @ahead
tile.kernel @ahead(%a: !tile.view<?x512xf32>, %b: !tile.view<?x512xf32>, %i: index) {
  // CHECK: stage.compute [512] stream <4096>
  stage.compute [512] stream <4096> {
    // CHECK: %[[X:.*]] = tile.load
    %x = tile.load %a[%i, %i] : !tile.view<?x512xf32> -> tensor<512xf32>
    // CHECK-NEXT: stage.prefetch_ahead %[[X]] by [1, 0] near : tensor<512xf32>
    stage.prefetch_ahead %x by [1, 0] near : tensor<512xf32>
    tile.store %x, %b[%i, %i] : tensor<512xf32>, !tile.view<?x512xf32>
  }
}
