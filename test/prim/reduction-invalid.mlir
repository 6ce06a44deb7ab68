// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @sum_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 'dims' in [0, 2), found 2}}
  %0 = prim.sum %x dims [2] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @prod_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected distinct 'dims', found 1 twice}}
  %0 = prim.prod %x dims [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @amax_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a result of element type 'f32', found 'f64'}}
  %0 = prim.amax %x dims [1] : tensor<4x8xf32> -> tensor<4xf64>
  return
}

// -----

func.func @amin_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a result of shape [4], found [4, 1]}}
  %0 = prim.amin %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @argmax_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 'dim' in [0, 2), found -1}}
  %0 = prim.argmax %x dim -1 : tensor<4x8xf32> -> tensor<4xi32>
  return
}

// -----

func.func @argmax_c2(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{expected a dimension that is not empty, found size 0}}
  %0 = prim.argmax %x dim 1 : tensor<4x0xf32> -> tensor<4xi32>
  return
}

// -----

func.func @argmax_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a result of i32 or i64, found 'i8'}}
  %0 = prim.argmax %x dim 1 : tensor<4x8xf32> -> tensor<4xi8>
  return
}

// -----

func.func @argmax_c4(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{expected no 'ignore_nan' for integers}}
  %0 = prim.argmax %x dim 1 ignore_nan : tensor<4x8xi32> -> tensor<4xi32>
  return
}

// -----

func.func @argmax_c5(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{expected a result of shape [4], found [8]}}
  %0 = prim.argmax %x dim 1 : tensor<4x8xi32> -> tensor<8xi32>
  return
}
