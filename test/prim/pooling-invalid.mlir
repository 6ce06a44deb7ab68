// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @max_pool_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected an input of rank at least 2, found 1}}
  %0 = prim.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<8xf32> -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @sum_pool_c2(%x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expected 2 values of 'window', found 1}}
  %0 = prim.sum_pool %x {window = array<i64: 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @sum_pool_c2_stride(%x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expected 'strides' of at least 1, found -2}}
  %0 = prim.sum_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, -2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @sum_pool_c3(%x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expected a result of element type 'f32', found 'f64'}}
  %0 = prim.sum_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf64>
  return
}

// -----

func.func @sum_pool_c4(%x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expected a window that fits into the padded input along spatial dimension 0}}
  %0 = prim.sum_pool %x {window = array<i64: 9, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @sum_pool_c4_overflow(%x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expected a window that fits into the padded input along spatial dimension 0}}
  %0 = prim.sum_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 9223372036854775807, 0>,
    pad_high = array<i64: 1, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @sum_pool_c5(%x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expected a result of shape [1, 4, 4, 4], found [1, 4, 4, 5]}}
  %0 = prim.sum_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @max_pool_c6(%x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expected padding smaller than the window of 2, found 2 and 0}}
  %0 = prim.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 2, 0>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x5x4x4xf32>
  return
}

// -----

func.func @avg_pool_c7(%x: tensor<1x8x8x4xi32>) {
  // expected-error @+1 {{expected floats, found 'i32'}}
  %0 = prim.avg_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xi32> -> tensor<1x4x4x4xi32>
  return
}
