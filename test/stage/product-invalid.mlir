// RUN: kiln-opt %s -split-input-file -verify-diagnostics

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c1(%i: index) {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected two coordinates, of storage, found 2 of 'tensor<8x8xf32, {a = 1 : i64}>'}}
  %f = stage.product %s, %s, %z[%i, %i] : memref<8x8xf32>, memref<8x8xf32>, !F
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c2(%i: index) {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected a product of 16x8x8 to lie within its operands}}
  %f = stage.product %s, %s, %z block [16, 8, 8] : memref<8x8xf32>, memref<8x8xf32>, !F
}

// -----

!F = tensor<8x8xf16, {a = 1}>
tile.kernel @product_c3(%i: index) {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected operands of one float type and an accumulator of f32 or f64 at least as wide}}
  %f = stage.product %s, %s, %z : memref<8x8xf32>, memref<8x8xf32>, !F
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c5(%i: index) {
  %s = stage.alloc : memref<8x8xf32>
  %t = stage.alloc : memref<16x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected rhs to have 8 rows, found 16}}
  %f = stage.product %s, %t, %z : memref<8x8xf32>, memref<16x8xf32>, !F
}

// -----

tile.kernel @product_acc(%i: index) {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error@+1 {{expected an accumulator of static shape with an encoding, or in storage}}
  %f = stage.product %s, %s, %z : memref<8x8xf32>, memref<8x8xf32>, tensor<8x8xf32>
}
