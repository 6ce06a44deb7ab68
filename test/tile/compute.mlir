// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: tile.kernel @dot
tile.kernel @dot(%a: !tile.view<?x?xf32>, %i: index) {
  %x = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<8x4xf32>
  %y = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<4x16xf32>
  %acc = arith.constant dense<0.0> : tensor<8x16xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision tf32x3 : tensor<8x4xf32>, tensor<4x16xf32>, tensor<8x16xf32>
  %d = tile.dot %x, %y, %acc precision tf32x3 : tensor<8x4xf32>, tensor<4x16xf32>, tensor<8x16xf32>
  %l = arith.constant dense<1> : tensor<2x8x4xi8>
  %r = arith.constant dense<2> : tensor<2x4x8xi8>
  %c = arith.constant dense<3> : tensor<2x8x8xi32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} rhs_unsigned : tensor<2x8x4xi8>, tensor<2x4x8xi8>, tensor<2x8x8xi32>
  %e = tile.dot %l, %r, %c rhs_unsigned : tensor<2x8x4xi8>, tensor<2x4x8xi8>, tensor<2x8x8xi32>
}

// CHECK-LABEL: tile.kernel @argmax
tile.kernel @argmax(%a: !tile.view<?x?xf32>, %i: index) {
  %x = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<8x4xf32>
  %n = tile.iota 1 : tensor<8x4xi32>
  // CHECK: tile.reduce %{{.*}}, %{{.*}} axis 1 ordered : tensor<8x4xf32>, tensor<8x4xi32> -> tensor<8xf32>, tensor<8xi32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  %m:2 = tile.reduce %x, %n axis 1 ordered : tensor<8x4xf32>, tensor<8x4xi32> -> tensor<8xf32>, tensor<8xi32> {
  ^bb0(%lv: f32, %li: i32, %rv: f32, %ri: i32):
    %less = arith.cmpf olt, %lv, %rv : f32
    %v = arith.select %less, %rv, %lv : f32
    %p = arith.select %less, %ri, %li : i32
    // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
    tile.yield %v, %p : f32, i32
  }
}

// FOLD-LABEL: tile.kernel @shapes
tile.kernel @shapes(%y: !tile.view<?x?xf32>, %i: index, %s: f32) {
  %t = tile.splat %s : tensor<8xf32>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %e = tile.expand_dims %t axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<8x1xf32> -> tensor<8x4xf32>
  %b = tile.broadcast %e : tensor<8x1xf32> -> tensor<8x4xf32>
  // CHECK: tile.transpose %{{.*}} [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %p = tile.transpose %b [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: tile.reshape %{{.*}} : tensor<4x8xf32> -> tensor<2x16xf32>
  %r = tile.reshape %p : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: tile.cat %{{.*}}, %{{.*}} axis 0 : tensor<2x16xf32>, tensor<2x16xf32> -> tensor<4x16xf32>
  %c = tile.cat %r, %r axis 0 : tensor<2x16xf32>, tensor<2x16xf32> -> tensor<4x16xf32>
  // CHECK: tile.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<4x16xf32> -> tensor<2x4xf32>
  %x = tile.extract %c[%i, %i] : tensor<4x16xf32> -> tensor<2x4xf32>
  tile.store %x, %y[%i, %i] : tensor<2x4xf32>, !tile.view<?x?xf32>

  // Shapes of constants fold away.
  // FOLD: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<4x8xf32>
  // FOLD: tile.store %[[C]], %{{.*}} : tensor<4x8xf32>
  %one = arith.constant 1.0 : f32
  %k0 = tile.splat %one : tensor<8xf32>
  %k1 = tile.expand_dims %k0 axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %k2 = tile.broadcast %k1 : tensor<8x1xf32> -> tensor<8x4xf32>
  %k3 = tile.transpose %k2 [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %k4 = tile.reshape %k3 : tensor<4x8xf32> -> tensor<32xf32>
  %k5 = tile.reshape %k4 : tensor<32xf32> -> tensor<4x8xf32>
  tile.store %k5, %y[%i, %i] : tensor<4x8xf32>, !tile.view<?x?xf32>
}
