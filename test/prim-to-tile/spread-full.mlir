// The gradient of a strided convolution's input where the gradient of its result is one number, as that of a sum: the
// convolution gathers elements of its spread input, which is therefore in memory.

// Targets that compute out of caches split such convolutions before.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=full
// RUN: kiln-run %s --target=cpu --check --entry=iota

// CHECK-LABEL: program.func @full
// CHECK: program.launch [@full_0_conv{{.*}} : memref<120x6xf32>
// CHECK-LABEL: program.func @iota
// CHECK: program.launch [@iota_0_iota
// CHECK: program.launch [@iota_1_conv
func.func @full(%w: tensor<3x3x3x6xf32>) -> tensor<2x10x12x3xf32> {
  %0 = prim.full 1.000000e+00 : f32 : tensor<2x6x5x12xf32>
  %1 = prim.transpose %0 permutation [0, 2, 3, 1] : tensor<2x6x5x12xf32> -> tensor<2x5x12x6xf32>
  %2 = prim.conv %1, %w {dilation = array<i64: 1, 1>, groups = 1 : i64, input_dilation = array<i64: 2, 1>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 2, 1>, strides = array<i64: 1, 1>} : tensor<2x5x12x6xf32>, tensor<3x3x3x6xf32> -> tensor<2x10x12x3xf32>
  return %2 : tensor<2x10x12x3xf32>
}
func.func @iota(%w: tensor<3x3x3x6xi32>) -> tensor<2x10x12x3xi32> {
  %0 = prim.iota dim 2 : tensor<2x5x12x6xi32>
  %1 = prim.conv %0, %w {dilation = array<i64: 1, 1>, groups = 1 : i64, input_dilation = array<i64: 2, 1>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 2, 1>, strides = array<i64: 1, 1>} : tensor<2x5x12x6xi32>, tensor<3x3x3x6xi32> -> tensor<2x10x12x3xi32>
  return %1 : tensor<2x10x12x3xi32>
}
