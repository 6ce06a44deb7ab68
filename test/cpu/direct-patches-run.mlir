// Convolutions with channels innermost, whose patches are read where they lie: lines of images, strides, runs of three channels, groups, lines
// that no block of rows divides, other types.
// RUN: kiln-run %s --entry=window --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=images --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=strided --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=first --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=grouped --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=prime --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=double --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=transposed --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=short_type --target=cpu --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=window --target=cpu,threads=2 --inputs=hurt --check --no-fallback | FileCheck %s
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=asm -o - | FileCheck %s --check-prefix=ASM
// CHECK: result 0: ok

// ASM-DAG: kiln_micro_kernel_fma_f32_14x32_f32_f32_apart32_fresh
// ASM-DAG: kiln_micro_kernel_fma_f32_14x32_f32_f32_apart32_runs3_464_48_1_fresh
// ASM-DAG: kiln_micro_kernel_fma_f32_{{.*}}_apart6_runs7_{{.*}}_21_1
// ASM-DAG: kiln_micro_kernel_fma_f32_14x32_f32_f32_apart32_runs3_464_48_1_fresh
// ASM-DAG: kiln_micro_kernel_fma_f32_{{.*}}_apart64_runs3_{{.*}}_3_64_8_1

func.func @window(%x: tensor<1x14x14x32xf32>, %w: tensor<32x3x3x32xf32>) -> tensor<1x14x14x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x14x14x32xf32>, tensor<32x3x3x32xf32> -> tensor<1x14x14x32xf32>
  return %0 : tensor<1x14x14x32xf32>
}

func.func @images(%x: tensor<3x9x12x16xf32>, %w: tensor<48x3x3x16xf32>) -> tensor<3x9x12x48xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<3x9x12x16xf32>, tensor<48x3x3x16xf32> -> tensor<3x9x12x48xf32>
  return %0 : tensor<3x9x12x48xf32>
}

func.func @strided(%x: tensor<1x28x28x16xf32>, %w: tensor<32x3x3x16xf32>) -> tensor<1x14x14x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x28x28x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x14x14x32xf32>
  return %0 : tensor<1x14x14x32xf32>
}

func.func @first(%x: tensor<1x30x32x3xf32>, %w: tensor<32x7x7x3xf32>) -> tensor<1x15x16x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 3, 3>, pad_high = array<i64: 3, 3>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x30x32x3xf32>, tensor<32x7x7x3xf32> -> tensor<1x15x16x32xf32>
  return %0 : tensor<1x15x16x32xf32>
}

func.func @grouped(%x: tensor<2x12x12x64xf32>, %w: tensor<64x3x3x8xf32>) -> tensor<2x12x12x64xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 8 : i64}
    : tensor<2x12x12x64xf32>, tensor<64x3x3x8xf32> -> tensor<2x12x12x64xf32>
  return %0 : tensor<2x12x12x64xf32>
}

func.func @prime(%x: tensor<1x17x17x16xf32>, %w: tensor<32x3x3x16xf32>) -> tensor<1x17x17x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x17x17x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x17x17x32xf32>
  return %0 : tensor<1x17x17x32xf32>
}

func.func @double(%x: tensor<1x12x12x16xf64>, %w: tensor<16x3x3x16xf64>) -> tensor<1x12x12x16xf64> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x12x12x16xf64>, tensor<16x3x3x16xf64> -> tensor<1x12x12x16xf64>
  return %0 : tensor<1x12x12x16xf64>
}

func.func @short_type(%x: tensor<1x12x12x32xbf16>, %w: tensor<32x3x3x32xbf16>) -> tensor<1x12x12x32xbf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x12x12x32xbf16>, tensor<32x3x3x32xbf16> -> tensor<1x12x12x32xbf16>
  return %0 : tensor<1x12x12x32xbf16>
}

// Each phase of a transposed convolution reads its part of the filter, whose results lie side by side.
func.func @transposed(%x: tensor<1x8x8x32xf32>, %w: tensor<32x4x4x48xf32>) -> tensor<1x16x16x48xf32> {
  %0 = prim.rev %w dims [1, 2] : tensor<32x4x4x48xf32>
  %1 = prim.transpose %0 permutation [3, 1, 2, 0] : tensor<32x4x4x48xf32> -> tensor<48x4x4x32xf32>
  %2 = prim.conv %x, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64}
    : tensor<1x8x8x32xf32>, tensor<48x4x4x32xf32> -> tensor<1x16x16x48xf32>
  return %2 : tensor<1x16x16x48xf32>
}
