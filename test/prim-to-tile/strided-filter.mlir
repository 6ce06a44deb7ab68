// A filter of single channels, as PyTorch has it: the factors of a channel lie side by side, and those of neighbouring channels, which
// threads read together, lie apart. A kernel brings the channels innermost where many results need them.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in many few strided; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done

// CHECK-LABEL: tile.kernel private @many_0_conv(
// Factors are loaded where they are first needed, not all ahead.
// CHECK: tile.load {{.*}} !tile.view<3x3x32xf16
// CHECK: arith.mulf
// CHECK: tile.load {{.*}} !tile.view<3x3x32xf16
// CHECK-LABEL: tile.kernel private @many_0_conv_filter(
// CHECK-SAME: !tile.view<1x3x3x32xf16, strides = [1, 3, 1, 9]> {{.*}}readonly{{.*}}, strides = [32, 96, 32, 1]> {{.*}}noalias
func.func @many(%x: tensor<2x12x12x32xf16>, %w: tensor<32x1x3x3xf16>) -> tensor<2x12x12x32xf16> {
  %f = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x1x3x3xf16> -> tensor<32x3x3x1xf16>
  %r = prim.conv %x, %f {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 32 : i64} : tensor<2x12x12x32xf16>, tensor<32x3x3x1xf16> -> tensor<2x12x12x32xf16>
  return %r : tensor<2x12x12x32xf16>
}
// CHECK-LABEL: program.func @few
// CHECK-COUNT-1: program.launch
// CHECK-NOT: program.launch
func.func @few(%x: tensor<1x4x4x32xf16>, %w: tensor<32x1x3x3xf16>) -> tensor<1x4x4x32xf16> {
  %f = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x1x3x3xf16> -> tensor<32x3x3x1xf16>
  %r = prim.conv %x, %f {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 32 : i64} : tensor<1x4x4x32xf16>, tensor<32x3x3x1xf16> -> tensor<1x4x4x32xf16>
  return %r : tensor<1x4x4x32xf16>
}
// CHECK-LABEL: program.func @strided
// CHECK-COUNT-2: program.launch
// CHECK-NOT: program.launch
func.func @strided(%x: tensor<4x21x21x40xf32>, %w: tensor<40x1x5x5xf32>) -> tensor<4x11x11x40xf32> {
  %f = prim.transpose %w permutation [0, 2, 3, 1] : tensor<40x1x5x5xf32> -> tensor<40x5x5x1xf32>
  %r = prim.conv %x, %f {strides = array<i64: 2, 2>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 40 : i64} : tensor<4x21x21x40xf32>, tensor<40x5x5x1xf32> -> tensor<4x11x11x40xf32>
  return %r : tensor<4x11x11x40xf32>
}
