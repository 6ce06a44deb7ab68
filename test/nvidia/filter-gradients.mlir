// Gradients of filters: convolutions whose window is an image, and whose positions are the elements of the filter.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=last | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=asm --entry=wide | FileCheck %s --check-prefix=PTX
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=planes | FileCheck %s --check-prefix=PLANES
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=depthwise | FileCheck %s --check-prefix=DEPTHWISE
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=few | FileCheck %s --check-prefix=FEW
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=narrow | FileCheck %s --check-prefix=NARROW
// RUN: kiln-run %s --target=amd:gfx942,device=sim --entry=narrow --no-fallback --check 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: result 0: ok
// RUN: for entry in last planes strided depthwise multiplied few narrow; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=32x32x32x3 --no-fallback --entry=last --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// Both factors are read along the channels, as they lie. Images and places together are the depth of a product for each element
// of the filter; places outside of the image are none.
// CHECK-LABEL: tile.kernel @last_0_conv(%{{.*}}: !tile.view<24x126xf16, strides = [1, 24]>
// CHECK-SAME: !tile.view<126x32xf16>
// CHECK: scf.for
// CHECK: %[[G:.*]] = tile.load {{.*}} !tile.view<24x126xf16, strides = [1, 24]> -> tensor<{{.*}}xf16>
// CHECK: arith.remui
// CHECK: arith.andi
// CHECK: %[[PLACES:.*]] = arith.select
// CHECK: %[[X:.*]] = tile.load_gather %{{.*}} dim 0 by %[[PLACES]] : !tile.view<126x32xf16>
// CHECK: tile.dot %[[G]], %[[X]]
// CHECK-NOT: conv_input
func.func @last(%x: tensor<2x9x7x32xf16>, %g: tensor<2x9x7x24xf16>) -> tensor<24x3x3x32xf16> {
  %0 = prim.transpose %x permutation [3, 1, 2, 0] : tensor<2x9x7x32xf16> -> tensor<32x9x7x2xf16>
  %1 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<2x9x7x24xf16> -> tensor<24x9x7x2xf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x9x7x2xf16>, tensor<24x9x7x2xf16> -> tensor<32x3x3x24xf16>
  %3 = prim.transpose %2 permutation [3, 1, 2, 0] : tensor<32x3x3x24xf16> -> tensor<24x3x3x32xf16>
  return %3 : tensor<24x3x3x32xf16>
}

// Few channels: an instance has a sum for each place of a line of the filter, and reads the gradient once for them.
// NARROW-LABEL: tile.kernel @narrow_0_conv(
// NARROW: scf.for {{.*}} -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
// NARROW: %[[G:.*]] = tile.load {{.*}} -> tensor<64x64xf16>
// NARROW-NOT: tile.load %
// NARROW-COUNT-3: tile.dot %[[G]], %
// NARROW: scf.yield
func.func @narrow(%x: tensor<2x9x7x64xf16>, %g: tensor<2x9x7x64xf16>) -> tensor<64x3x3x64xf16> {
  %0 = prim.transpose %x permutation [3, 1, 2, 0] : tensor<2x9x7x64xf16> -> tensor<64x9x7x2xf16>
  %1 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<2x9x7x64xf16> -> tensor<64x9x7x2xf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<64x9x7x2xf16>, tensor<64x9x7x2xf16> -> tensor<64x3x3x64xf16>
  %3 = prim.transpose %2 permutation [3, 1, 2, 0] : tensor<64x3x3x64xf16> -> tensor<64x3x3x64xf16>
  return %3 : tensor<64x3x3x64xf16>
}

// PTX: cp.async.cg.shared.global {{.*}}, 16, size
// PTX: wgmma.mma_async
func.func @wide(%x: tensor<8x28x28x128xbf16>, %g: tensor<8x28x28x128xbf16>) -> tensor<128x3x3x128xbf16> {
  %0 = prim.transpose %x permutation [3, 1, 2, 0] : tensor<8x28x28x128xbf16> -> tensor<128x28x28x8xbf16>
  %1 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<8x28x28x128xbf16> -> tensor<128x28x28x8xbf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<128x28x28x8xbf16>, tensor<128x28x28x8xbf16> -> tensor<128x3x3x128xbf16>
  %3 = prim.transpose %2 permutation [3, 1, 2, 0] : tensor<128x3x3x128xbf16> -> tensor<128x3x3x128xbf16>
  return %3 : tensor<128x3x3x128xbf16>
}

// Channels first are copied to where they lie last.
// PLANES-DAG: tile.kernel @planes_0_conv_input(
// PLANES-DAG: tile.kernel @planes_0_conv_filter(
// PLANES-DAG: tile.load_gather
func.func @planes(%x: tensor<2x16x9x7xf32>, %g: tensor<2x24x9x7xf32>) -> tensor<24x16x3x3xf32> {
  %0 = prim.transpose %x permutation [1, 2, 3, 0] : tensor<2x16x9x7xf32> -> tensor<16x9x7x2xf32>
  %1 = prim.transpose %g permutation [1, 2, 3, 0] : tensor<2x24x9x7xf32> -> tensor<24x9x7x2xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x9x7x2xf32>, tensor<24x9x7x2xf32> -> tensor<16x3x3x24xf32>
  %3 = prim.transpose %2 permutation [3, 0, 1, 2] : tensor<16x3x3x24xf32> -> tensor<24x16x3x3xf32>
  return %3 : tensor<24x16x3x3xf32>
}

// A stride of the convolution is a dilation of the window; positions have the steps of its dilation.
func.func @strided(%x: tensor<3x17x15x16xf16>, %g: tensor<3x9x8x16xf16>) -> tensor<16x2x2x16xf16> {
  %0 = prim.transpose %x permutation [3, 1, 2, 0] : tensor<3x17x15x16xf16> -> tensor<16x17x15x3xf16>
  %1 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<3x9x8x16xf16> -> tensor<16x9x8x3xf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 2, 2>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x17x15x3xf16>, tensor<16x9x8x3xf16> -> tensor<16x2x2x16xf16>
  %3 = prim.transpose %2 permutation [3, 1, 2, 0] : tensor<16x2x2x16xf16> -> tensor<16x2x2x16xf16>
  return %3 : tensor<16x2x2x16xf16>
}

// One channel in each group: a sum for each place of a line of the filter, whose elements are those of a block of channels.
// DEPTHWISE-LABEL: tile.kernel @depthwise_0_conv(
// DEPTHWISE: scf.for {{.*}} -> (tensor<[[T:.*]]xf32>, tensor<[[T]]xf32>, tensor<[[T]]xf32>)
// DEPTHWISE: tile.load {{.*}} -> tensor<[[T]]xf16>
// DEPTHWISE-COUNT-3: tile.load {{.*}} at {{.*}} -> tensor<[[T]]xf16>
// DEPTHWISE-COUNT-3: tile.reduce
func.func @depthwise(%x: tensor<2x9x11x16xf16>, %g: tensor<2x9x11x16xf16>) -> tensor<16x1x3x3xf16> {
  %0 = prim.transpose %x permutation [1, 2, 3, 0] : tensor<2x9x11x16xf16> -> tensor<9x11x16x2xf16>
  %1 = prim.reshape %0 : tensor<9x11x16x2xf16> -> tensor<1x9x11x32xf16>
  %2 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<2x9x11x16xf16> -> tensor<16x9x11x2xf16>
  %3 = prim.conv %1, %2 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 16 : i64} : tensor<1x9x11x32xf16>, tensor<16x9x11x2xf16> -> tensor<1x3x3x16xf16>
  %4 = prim.transpose %3 permutation [3, 0, 1, 2] : tensor<1x3x3x16xf16> -> tensor<16x1x3x3xf16>
  return %4 : tensor<16x1x3x3xf16>
}

// Two filters for each channel, and a stride.
func.func @multiplied(%x: tensor<2x11x13x8xf32>, %g: tensor<2x5x6x16xf32>) -> tensor<16x1x2x2xf32> {
  %0 = prim.transpose %x permutation [1, 2, 3, 0] : tensor<2x11x13x8xf32> -> tensor<11x13x8x2xf32>
  %1 = prim.reshape %0 : tensor<11x13x8x2xf32> -> tensor<1x11x13x16xf32>
  %2 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<2x5x6x16xf32> -> tensor<16x5x6x2xf32>
  %3 = prim.conv %1, %2 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 2, 2>, input_dilation = array<i64: 1, 1>, groups = 8 : i64} : tensor<1x11x13x16xf32>, tensor<16x5x6x2xf32> -> tensor<1x3x3x16xf32>
  %4 = prim.slice %3 starts [0, 0, 0, 0] limits [1, 2, 2, 16] strides [1, 1, 1, 1] : tensor<1x3x3x16xf32> -> tensor<1x2x2x16xf32>
  %5 = prim.transpose %4 permutation [3, 0, 1, 2] : tensor<1x2x2x16xf32> -> tensor<16x1x2x2xf32>
  return %5 : tensor<16x1x2x2xf32>
}

// Few channels: positions and channels are rows.
// FEW: tile.load_gather
func.func @few(%x: tensor<2x9x7x3xf16>, %g: tensor<2x9x7x16xf16>) -> tensor<16x3x3x3xf16> {
  %0 = prim.transpose %x permutation [3, 1, 2, 0] : tensor<2x9x7x3xf16> -> tensor<3x9x7x2xf16>
  %1 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<2x9x7x16xf16> -> tensor<16x9x7x2xf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x9x7x2xf16>, tensor<16x9x7x2xf16> -> tensor<3x3x3x16xf16>
  %3 = prim.transpose %2 permutation [3, 1, 2, 0] : tensor<3x3x3x16xf16> -> tensor<16x3x3x3xf16>
  return %3 : tensor<16x3x3x3xf16>
}
