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
  // expected-error@+1 {{expected operands of floats and an accumulator of f16, bf16, f32 or f64 at least as wide}}
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

// -----

!A = tensor<2x8x8xf32, {a = 1}>
!B = tensor<4x8x8xf32, {a = 1}>
tile.kernel @product_batch(%i: index) {
  %a = arith.constant dense<0.0> : !A
  %b = arith.constant dense<0.0> : !B
  // expected-error@+1 {{expected 2 matrices, found 'tensor<4x8x8xf32, {a = 1 : i64}>'}}
  %f = stage.product %a, %b, %a : !A, !B, !A
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_batch_of_storage(%i: index) {
  %s = stage.alloc : memref<2x8x8xf32>
  %a = arith.constant dense<0.0> : tensor<2x8x8xf32, {a = 1}>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected operands of rank 2, or fragments of rank 3, found 'tensor<2x8x8xf32, {a = 1 : i64}>'}}
  %f = stage.product %a, %s, %z : tensor<2x8x8xf32, {a = 1}>, memref<2x8x8xf32>, !F
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c8_shape(%i: index) {
  %s = stage.alloc : memref<4x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected 'lhs_as' to be the tile of whole storage, found 'tensor<8x4xf32>' for 'memref<4x8xf32>'}}
  %f = stage.product %s, %s, %z {lhs_as = tensor<8x4xf32>} : memref<4x8xf32>, memref<4x8xf32>, !F
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c8_width(%i: index) {
  %s = stage.alloc : memref<8x8xi16>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected 'rhs_as' to be the tile of whole storage, found 'tensor<8x8xf32>' for 'memref<8x8xi16>'}}
  %f = stage.product %z, %s, %z {rhs_as = tensor<8x8xf32>} : !F, memref<8x8xi16>, !F
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c8_transposed(%i: index) {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected 'lhs_as' with 'lhs_transposed'}}
  %f = stage.product %s, %s, %z {lhs_transposed} : memref<8x8xf32>, memref<8x8xf32>, !F
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c9(%i: index) {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected 'exchanged' with an instruction}}
  %f = stage.product %s, %s, %z {exchanged} : memref<8x8xf32>, memref<8x8xf32>, !F
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c9_terms(%i: index) {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected 'max_imprecise_acc' not to be negative}}
  %f = stage.product %s, %s, %z {max_imprecise_acc = -1 : i64} : memref<8x8xf32>, memref<8x8xf32>, !F
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @product_c4_future() {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  %f = stage.product async %s, %s, %z : memref<8x8xf32>, memref<8x8xf32>, !F
  // expected-error@+1 {{expected 'async' with an accumulator that is a future}}
  %g = stage.product %s, %s, %f : memref<8x8xf32>, memref<8x8xf32>, !stage.future<!F>
}
