// Sorting, indices of the largest, windows: each refusal names what it expected.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @no_dimension(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 'dim' in [0, 2), found 2}}
  %0 = prim.sort %x dim 2 keys 1 : tensor<4x8xf32>
  return
}

// -----

func.func @no_key(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 'keys' in [1, 1], found 0}}
  %0 = prim.sort %x dim 1 keys 0 : tensor<4x8xf32>
  return
}

// -----

func.func @shapes(%x: tensor<4x8xf32>, %y: tensor<4x7xf32>) {
  // expected-error @+1 {{expected an operand of shape [4, 8], found [4, 7]}}
  %0:2 = prim.sort %x, %y dim 1 keys 1 : tensor<4x8xf32>, tensor<4x7xf32>
  return
}

// -----

func.func @permutation(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a result of shape [4, 8], found [4, 7]}}
  %0 = prim.argsort %x dim 1 : tensor<4x8xf32> -> tensor<4x7xi32>
  return
}

// -----

func.func @too_many(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 'k' of at least 0 and at most the size of the dimension, found 9}}
  %0:2 = prim.top_k %x k 9 dim 1 : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi32>
  return
}

// -----

func.func @other_elements(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected values of element type 'f32', found 'f16'}}
  %0:2 = prim.top_k %x k 2 dim 1 : tensor<4x8xf32> -> tensor<4x2xf16>, tensor<4x2xi32>
  return
}

// -----

func.func @ignore_nan(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{expected no 'ignore_nan' for integers}}
  %0 = prim.argmin %x dim 1 ignore_nan : tensor<4x8xi32> -> tensor<4xi32>
  return
}

// -----

func.func @window(%x: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{expected a result of shape [4, 4], found [4, 5]}}
  %0 = prim.reduce_window (%x) inits (%z) {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x5xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = prim.maximum %a, %b : tensor<f32>
    prim.yield %m : tensor<f32>
  }
  return
}

// -----

func.func @pads(%x: tensor<4x8xf32>, %s: tensor<4x5xf32>) {
  // expected-error @+1 {{expected padding smaller than the window of 2, found 2 and 0}}
  %1 = prim.select_and_scatter max %x, %s {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 2>, pad_high = array<i64: 0, 0>} : tensor<4x8xf32>, tensor<4x5xf32>
  return
}
