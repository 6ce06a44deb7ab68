// Transposed convolutions, phase by phase: what is computed is what the convolution of the spread input is.
// RUN: kiln-compile %s --target=cpu --no-fallback --verify-semantics -o %t.kiln 2>&1 | FileCheck %s
// RUN: kiln-compile %s --target=cpu:neoverse-v1 --no-fallback -o %t.kiln
// CHECK: 0 changed, 15 with a device
// Zeros between elements make NaN of elements of the filter that are not finite.
// RUN: kiln-conform --target=cpu --filter='^prim/prim\.conv/(f32|f16|bf16|i8)/spread/' | FileCheck %s --check-prefix=SPREAD
// RUN: kiln-run %s --entry=reversed --target=cpu --inputs=hurt --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RESULT: result 0: ok
// SPREAD: {{[1-9][0-9]*}} passed, 0 failed

func.func @first(%x: tensor<2x4x5x6xf32>, %w: tensor<6x4x4x4xf32>) -> tensor<2x6x10x12xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x4x5x6xf32> -> tensor<2x5x6x4xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<2x5x6x4xf32>, tensor<6x4x4x4xf32> -> tensor<2x10x12x6xf32>
  %1 = prim.transpose %0 permutation [0, 3, 1, 2] : tensor<2x10x12x6xf32> -> tensor<2x6x10x12xf32>
  return %1 : tensor<2x6x10x12xf32>
}

func.func @last(%x: tensor<2x5x6x4xf32>, %w: tensor<6x3x3x4xf32>) -> tensor<2x10x12x6xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<2x5x6x4xf32>, tensor<6x3x3x4xf32> -> tensor<2x10x12x6xf32>
  return %0 : tensor<2x10x12x6xf32>
}

func.func @pointwise(%x: tensor<1x4x5x7xf32>, %w: tensor<6x2x2x4xf32>) -> tensor<1x6x10x14xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x4x5x7xf32> -> tensor<1x5x7x4xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<1x5x7x4xf32>, tensor<6x2x2x4xf32> -> tensor<1x10x14x6xf32>
  %1 = prim.transpose %0 permutation [0, 3, 1, 2] : tensor<1x10x14x6xf32> -> tensor<1x6x10x14xf32>
  return %1 : tensor<1x6x10x14xf32>
}

func.func @pointwise_images(%x: tensor<3x4x5x7xf32>, %w: tensor<6x2x2x4xf32>) -> tensor<3x6x10x14xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 1] : tensor<3x4x5x7xf32> -> tensor<3x5x7x4xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<3x5x7x4xf32>, tensor<6x2x2x4xf32> -> tensor<3x10x14x6xf32>
  %1 = prim.transpose %0 permutation [0, 3, 1, 2] : tensor<3x10x14x6xf32> -> tensor<3x6x10x14xf32>
  return %1 : tensor<3x6x10x14xf32>
}

func.func @odd(%x: tensor<1x4x5x4xf32>, %w: tensor<6x3x5x4xf32>) -> tensor<1x6x9x13xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x4x5x4xf32> -> tensor<1x5x4x4xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 4>, pad_high = array<i64: 1, 3>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 3>, groups = 1 : i64} : tensor<1x5x4x4xf32>, tensor<6x3x5x4xf32> -> tensor<1x9x13x6xf32>
  %1 = prim.transpose %0 permutation [0, 3, 1, 2] : tensor<1x9x13x6xf32> -> tensor<1x6x9x13xf32>
  return %1 : tensor<1x6x9x13xf32>
}

func.func @no_taps(%x: tensor<1x5x4x4xf32>, %w: tensor<6x1x2x4xf32>) -> tensor<1x10x12x6xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 1>, pad_high = array<i64: 1, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 3>, groups = 1 : i64} : tensor<1x5x4x4xf32>, tensor<6x1x2x4xf32> -> tensor<1x10x12x6xf32>
  return %0 : tensor<1x10x12x6xf32>
}

func.func @cut(%x: tensor<1x4x5x4xf32>, %w: tensor<6x2x3x4xf32>) -> tensor<1x6x8x5xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x4x5x4xf32> -> tensor<1x5x4x4xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<1x5x4x4xf32>, tensor<6x2x3x4xf32> -> tensor<1x8x5x6xf32>
  %1 = prim.transpose %0 permutation [0, 3, 1, 2] : tensor<1x8x5x6xf32> -> tensor<1x6x8x5xf32>
  return %1 : tensor<1x6x8x5xf32>
}

func.func @one_dim(%x: tensor<1x4x9xf32>, %w: tensor<6x7x4xf32>) -> tensor<1x6x33xf32> {
  %t = prim.transpose %x permutation [0, 2, 1] : tensor<1x4x9xf32> -> tensor<1x9x4xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1>, pad_low = array<i64: 6>, pad_high = array<i64: 8>, dilation = array<i64: 1>, input_dilation = array<i64: 3>, groups = 1 : i64} : tensor<1x9x4xf32>, tensor<6x7x4xf32> -> tensor<1x33x6xf32>
  %1 = prim.transpose %0 permutation [0, 2, 1] : tensor<1x33x6xf32> -> tensor<1x6x33xf32>
  return %1 : tensor<1x6x33xf32>
}

func.func @one_side(%x: tensor<1x5x9x4xf32>, %w: tensor<6x3x3x4xf32>) -> tensor<1x2x18x6xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 2>, dilation = array<i64: 2, 1>, input_dilation = array<i64: 1, 2>, groups = 1 : i64} : tensor<1x5x9x4xf32>, tensor<6x3x3x4xf32> -> tensor<1x2x18x6xf32>
  return %0 : tensor<1x2x18x6xf32>
}

func.func @grouped(%x: tensor<2x4x5x6xf32>, %w: tensor<8x4x4x2xf32>) -> tensor<2x8x10x12xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x4x5x6xf32> -> tensor<2x5x6x4xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 2 : i64} : tensor<2x5x6x4xf32>, tensor<8x4x4x2xf32> -> tensor<2x10x12x8xf32>
  %1 = prim.transpose %0 permutation [0, 3, 1, 2] : tensor<2x10x12x8xf32> -> tensor<2x8x10x12xf32>
  return %1 : tensor<2x8x10x12xf32>
}

func.func @depthwise(%x: tensor<2x8x5x6xf32>, %w: tensor<8x3x3x1xf32>) -> tensor<2x8x10x12xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x8x5x6xf32> -> tensor<2x5x6x8xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 8 : i64} : tensor<2x5x6x8xf32>, tensor<8x3x3x1xf32> -> tensor<2x10x12x8xf32>
  %1 = prim.transpose %0 permutation [0, 3, 1, 2] : tensor<2x10x12x8xf32> -> tensor<2x8x10x12xf32>
  return %1 : tensor<2x8x10x12xf32>
}

func.func @bytes(%x: tensor<1x5x6x4xi8>, %w: tensor<6x4x4x4xi8>) -> tensor<1x10x12x6xi32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<1x5x6x4xi8>, tensor<6x4x4x4xi8> -> tensor<1x10x12x6xi32>
  return %0 : tensor<1x10x12x6xi32>
}

func.func @volume(%x: tensor<1x4x3x4x5xf32>, %w: tensor<6x2x3x4x4xf32>) -> tensor<1x6x6x8x10xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 4, 1] : tensor<1x4x3x4x5xf32> -> tensor<1x3x4x5x4xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1, 1, 1>, pad_low = array<i64: 1, 2, 2>, pad_high = array<i64: 1, 1, 2>, dilation = array<i64: 1, 1, 1>, input_dilation = array<i64: 2, 2, 2>, groups = 1 : i64} : tensor<1x3x4x5x4xf32>, tensor<6x2x3x4x4xf32> -> tensor<1x6x8x10x6xf32>
  %1 = prim.transpose %0 permutation [0, 4, 1, 2, 3] : tensor<1x6x8x10x6xf32> -> tensor<1x6x6x8x10xf32>
  return %1 : tensor<1x6x6x8x10xf32>
}

func.func @single(%x: tensor<1x1x1x4xf32>, %w: tensor<6x2x2x4xf32>) -> tensor<1x2x1x6xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 1>, pad_high = array<i64: 2, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<1x1x1x4xf32>, tensor<6x2x2x4xf32> -> tensor<1x2x1x6xf32>
  return %0 : tensor<1x2x1x6xf32>
}


func.func @reversed(%x: tensor<1x5x6x4xf32>, %w: tensor<6x3x5x4xf32>) -> tensor<1x11x13x6xf32> {
  %r = prim.rev %w dims [1, 2] : tensor<6x3x5x4xf32>
  %0 = prim.conv %x, %r {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 3>, pad_high = array<i64: 2, 3>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<1x5x6x4xf32>, tensor<6x3x5x4xf32> -> tensor<1x11x13x6xf32>
  return %0 : tensor<1x11x13x6xf32>
}
