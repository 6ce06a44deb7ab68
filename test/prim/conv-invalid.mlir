// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @conv_c1(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x16xf32>) {
  // expected-error @+1 {{expected input and filter of the same rank of at least 2, found 4 and 3}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected 'strides' of at least 1, found 0}}
  %0 = prim.conv %x, %w {strides = array<i64: 0, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c2_count(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected 2 values of 'pad_low', found 1}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c2_pad(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected 'pad_high' of at least 0, found -1}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: -1, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected 'groups' of at least 1, found 0}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 0 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c3_multiple(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected the number of filters to be a multiple of 'groups', found 32 and 3}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 3 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected filters with input channels / groups channels, found 16 with 16 / 2}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c5(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected a result of element type f32, found 'f16'}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf16>
  return
}

// -----

func.func @conv_c6(%x: tensor<1x8x8x16xf32>, %w: tensor<32x9x3x16xf32>) {
  // expected-error @+1 {{expected a window that fits into the padded input along spatial dimension 0}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x9x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c6_overflow(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected a window that fits into the padded input along spatial dimension 1}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 9223372036854775807>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c6_static(%x: tensor<1x8x8x16xf32>, %w: tensor<32x?x3x16xf32>) {
  // expected-error @+1 {{expected a window of static size, found ?}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x?x3x16xf32> -> tensor<1x6x6x32xf32>
  return
}

// -----

func.func @conv_c7(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) {
  // expected-error @+1 {{expected a result of shape [1, 6, 6, 32], found [1, 6, 7, 32]}}
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x7x32xf32>
  return
}

// -----

func.func @conv_c8(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) {
  // expected-error @+1 {{expected f32 operands with tf32 precision, found 'f16'}}
  %0 = prim.conv %x, %w precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x6x6x32xf16>
  return
}
