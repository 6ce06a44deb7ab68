// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1(%x: tensor<9x8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expected 'batch_dims' in [0, 1], found 2}}
  %0 = prim.gather %x, %i dim 0 batch_dims 2 : tensor<9x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expected 'dim' in [1, 2), found 0}}
  %0 = prim.gather %x, %i dim 0 batch_dims 1 : tensor<4x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<9x8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expected equal batch dimensions, found shapes [9, 8] and [4]}}
  %0 = prim.gather %x, %i dim 1 batch_dims 1 : tensor<9x8xf32>, tensor<4xi32> -> tensor<9xf32>
  return
}

// -----

func.func @gather_c4(%x: tensor<9x8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expected a result of element type 'f32', found 'f16'}}
  %0 = prim.gather %x, %i dim 0 batch_dims 0 : tensor<9x8xf32>, tensor<4xi32> -> tensor<4x8xf16>
  return
}

// -----

func.func @gather_c5(%x: tensor<9x8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expected a result of shape [4, 8], found [8, 4]}}
  %0 = prim.gather %x, %i dim 0 batch_dims 0 : tensor<9x8xf32>, tensor<4xi32> -> tensor<8x4xf32>
  return
}
