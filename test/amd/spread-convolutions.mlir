// Transposed convolutions on machines whose threads share out tiles: instances have one phase of the positions, and read no
// zeros between elements. Odd sizes have fewer positions in some phases; windows shorter than the distance have phases that
// read nothing.
// RUN: kiln-run %s --entry=even --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=odd --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=apart --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=one --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=grouped --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s
// CHECK: result 0: ok
// Zeros between elements make NaN of elements of the filter that are not finite.
// RUN: kiln-run %s --entry=even --target=amd:gfx942,device=sim --no-fallback --inputs=hurt --check 2>&1 | FileCheck %s
func.func @even(%x: tensor<2x5x6x32xf16>, %w: tensor<40x3x3x32xf16>, %y: tensor<2x10x12x40xf16>, %c: tensor<40xf16>) -> tensor<2x10x12x40xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<2x5x6x32xf16>, tensor<40x3x3x32xf16> -> tensor<2x10x12x40xf16>
  %b = prim.broadcast_in_dim %c dims [3] : tensor<40xf16> -> tensor<2x10x12x40xf16>
  %1 = prim.mul %0, %b : tensor<2x10x12x40xf16>
  %2 = prim.add %1, %y : tensor<2x10x12x40xf16>
  return %2 : tensor<2x10x12x40xf16>
}
func.func @odd(%x: tensor<3x4x5x16xf16>, %w: tensor<24x3x2x16xf16>) -> tensor<3x9x13x24xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 1>, pad_high = array<i64: 2, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 3>, groups = 1 : i64} : tensor<3x4x5x16xf16>, tensor<24x3x2x16xf16> -> tensor<3x9x13x24xf16>
  return %0 : tensor<3x9x13x24xf16>
}
func.func @apart(%x: tensor<2x4x5x16xf16>, %w: tensor<24x1x1x16xf16>) -> tensor<2x8x9x24xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 1, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<2x4x5x16xf16>, tensor<24x1x1x16xf16> -> tensor<2x8x9x24xf16>
  return %0 : tensor<2x8x9x24xf16>
}
func.func @one(%x: tensor<2x9x64xf32>, %w: tensor<16x4x64xf32>) -> tensor<2x36x16xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 3>, pad_high = array<i64: 3>, dilation = array<i64: 1>, input_dilation = array<i64: 4>, groups = 1 : i64} : tensor<2x9x64xf32>, tensor<16x4x64xf32> -> tensor<2x36x16xf32>
  return %0 : tensor<2x36x16xf32>
}
func.func @grouped(%x: tensor<2x4x5x64xf16>, %w: tensor<48x3x3x32xf16>) -> tensor<2x8x10x48xf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 2 : i64} : tensor<2x4x5x64xf16>, tensor<48x3x3x32xf16> -> tensor<2x8x10x48xf16>
  return %0 : tensor<2x8x10x48xf16>
}
