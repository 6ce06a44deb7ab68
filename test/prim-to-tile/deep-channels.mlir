// Gradients of depthwise filters sum over all images: sums in registers are better for small images, too, if there are many.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=small
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=strided

// The window of 7 x 7 has twice the places of the filter, and is that of 16 images.
// CHECK-LABEL: program.func @small
// CHECK: program.launch [@small_0_conv{{.*}}schedule = "generic.deep_channels"
func.func @small(%x: tensor<16x7x7x40xbf16>, %g: tensor<16x7x7x40xbf16>) -> tensor<1x5x5x40xbf16> {
  %a = prim.transpose %x permutation [1, 2, 3, 0] : tensor<16x7x7x40xbf16> -> tensor<7x7x40x16xbf16>
  %b = prim.reshape %a : tensor<7x7x40x16xbf16> -> tensor<1x7x7x640xbf16>
  %c = prim.transpose %g permutation [3, 1, 2, 0] : tensor<16x7x7x40xbf16> -> tensor<40x7x7x16xbf16>
  %0 = prim.conv %b, %c {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 40 : i64} : tensor<1x7x7x640xbf16>, tensor<40x7x7x16xbf16> -> tensor<1x5x5x40xbf16>
  return %0 : tensor<1x5x5x40xbf16>
}

// CHECK-LABEL: program.func @strided
// CHECK: program.launch [@strided_0_conv{{.*}}schedule = "generic.deep_channels"
func.func @strided(%x: tensor<16x14x14x24xbf16>, %g: tensor<16x7x7x24xbf16>) -> tensor<1x5x5x24xbf16> {
  %a = prim.transpose %x permutation [1, 2, 3, 0] : tensor<16x14x14x24xbf16> -> tensor<14x14x24x16xbf16>
  %b = prim.reshape %a : tensor<14x14x24x16xbf16> -> tensor<1x14x14x384xbf16>
  %c = prim.transpose %g permutation [3, 1, 2, 0] : tensor<16x7x7x24xbf16> -> tensor<24x7x7x16xbf16>
  %0 = prim.conv %b, %c {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 1, 1>,
    dilation = array<i64: 2, 2>, input_dilation = array<i64: 1, 1>, groups = 24 : i64} : tensor<1x14x14x384xbf16>, tensor<24x7x7x16xbf16> -> tensor<1x5x5x24xbf16>
  return %0 : tensor<1x5x5x24xbf16>
}
