// RUN: kiln-opt %s --prim-simplify | FileCheck %s

// What follows a convolution keeps its shape, a batch of one included.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[C:.*]] = prim.conv %arg0
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg2 dims [3] : tensor<32xf32> -> tensor<1x8x8x32xf32>
// CHECK: %[[S:.*]] = prim.add %[[C]], %[[B]]
// CHECK: prim.clamp %[[S]] {{.*}} : tensor<1x8x8x32xf32>
func.func @epilogue(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>, %b: tensor<32xf32>) -> tensor<1x8x8x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x8x8x32xf32>
  %1 = prim.reshape %b : tensor<32xf32> -> tensor<1x1x1x32xf32>
  %2 = prim.broadcast_in_dim %1 dims [0, 1, 2, 3] : tensor<1x1x1x32xf32> -> tensor<1x8x8x32xf32>
  %3 = prim.add %0, %2 : tensor<1x8x8x32xf32>
  %4 = prim.clamp %3 min 0.0 : f32 max 6.0 : f32 : tensor<1x8x8x32xf32>
  return %4 : tensor<1x8x8x32xf32>
}

// A window of one element is a product.
// CHECK-LABEL: func.func @pointwise
// CHECK: %[[X:.*]] = prim.reshape %arg0 : tensor<1x8x8x16xi8> -> tensor<64x16xi8>
// CHECK: prim.dot_general %[[X]], %{{.*}} batch [] x [] contract [1] x [0] : tensor<64x16xi8>, tensor<16x32xi8> -> tensor<64x32xi32>
func.func @pointwise(%x: tensor<1x8x8x16xi8>, %w: tensor<32x1x1x16xi8>) -> tensor<1x8x8x32xi32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xi8>, tensor<32x1x1x16xi8> -> tensor<1x8x8x32xi32>
  return %0 : tensor<1x8x8x32xi32>
}

// Zeros around the input are the convolution's own padding; other values are not.
// CHECK-LABEL: func.func @padded
// CHECK-NOT: prim.pad %arg0 {{.*}} value 0.0
// CHECK: prim.conv %arg0, %arg1 {{.*}}pad_high = array<i64: 2, 0>, pad_low = array<i64: 1, 0>
// CHECK: %[[P:.*]] = prim.pad %arg0
// CHECK: prim.conv %[[P]]
func.func @padded(%x: tensor<2x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) -> (tensor<2x9x6x32xf32>, tensor<2x9x6x32xf32>) {
  %0 = prim.pad %x low [0, 1, 0, 0] high [0, 2, 0, 0] value 0.0 : f32 : tensor<2x8x8x16xf32> -> tensor<2x11x8x16xf32>
  %1 = prim.conv %0, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<2x11x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<2x9x6x32xf32>
  %2 = prim.pad %x low [0, 1, 0, 0] high [0, 2, 0, 0] value 1.0 : f32 : tensor<2x8x8x16xf32> -> tensor<2x11x8x16xf32>
  %3 = prim.conv %2, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<2x11x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<2x9x6x32xf32>
  return %1, %3 : tensor<2x9x6x32xf32>, tensor<2x9x6x32xf32>
}

// So are those that a transposition is behind, as of rows that begin before their first element.
// CHECK-LABEL: func.func @padded_then_transposed
// CHECK-NOT: prim.pad
// CHECK: %[[T:.*]] = prim.transpose %arg0 permutation [0, 2, 1] : tensor<2x16x64xf32> -> tensor<2x64x16xf32>
// CHECK: prim.conv %[[T]], %arg1 {{.*}}pad_high = array<i64: 1>, pad_low = array<i64: 3>
func.func @padded_then_transposed(%x: tensor<2x16x64xf32>, %w: tensor<16x5x1xf32>) -> tensor<2x64x16xf32> {
  %0 = prim.pad %x low [0, 0, 3] high [0, 0, 1] value 0.0 : f32 : tensor<2x16x64xf32> -> tensor<2x16x68xf32>
  %1 = prim.transpose %0 permutation [0, 2, 1] : tensor<2x16x68xf32> -> tensor<2x68x16xf32>
  %2 = prim.conv %1, %w {strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>,
    dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 16 : i64}
    : tensor<2x68x16xf32>, tensor<16x5x1xf32> -> tensor<2x64x16xf32>
  return %2 : tensor<2x64x16xf32>
}

// Zeros between channels are none of a window.
// CHECK-LABEL: func.func @padded_channels
// CHECK: prim.pad %arg0
func.func @padded_channels(%x: tensor<2x15x64xf32>, %w: tensor<16x5x1xf32>) -> tensor<2x60x16xf32> {
  %0 = prim.pad %x low [0, 1, 0] high [0, 0, 0] value 0.0 : f32 : tensor<2x15x64xf32> -> tensor<2x16x64xf32>
  %1 = prim.transpose %0 permutation [0, 2, 1] : tensor<2x16x64xf32> -> tensor<2x64x16xf32>
  %2 = prim.conv %1, %w {strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>,
    dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 16 : i64}
    : tensor<2x64x16xf32>, tensor<16x5x1xf32> -> tensor<2x60x16xf32>
  return %2 : tensor<2x60x16xf32>
}

// It may read its operands as the convolution may.
// CHECK-LABEL: func.func @pointwise_tf32
// CHECK: prim.dot_general {{.*}} contract [1] x [0] precision tf32 : tensor<64x16xf32>
func.func @pointwise_tf32(%x: tensor<1x8x8x16xf32>, %w: tensor<32x1x1x16xf32>) -> tensor<1x8x8x32xf32> {
  %0 = prim.conv %x, %w precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x1x1x16xf32> -> tensor<1x8x8x32xf32>
  return %0 : tensor<1x8x8x32xf32>
}

// A window with one place in the input is a product over the window and the channels, such as the gradient of a pointwise
// convolution's filter. It sums in the order in which both factors lie in memory, so that neither is copied.
// CHECK-LABEL: func.func @filter_gradient
// CHECK-DAG: %[[T:.*]] = prim.transpose %arg0 permutation [3, 0, 1, 2] : tensor<4x7x5x16xbf16> -> tensor<16x4x7x5xbf16>
// CHECK-DAG: %[[X:.*]] = prim.reshape %[[T]] : tensor<16x4x7x5xbf16> -> tensor<16x140xbf16>
// CHECK-DAG: %[[G:.*]] = prim.reshape %arg1 : tensor<4x7x5x32xbf16> -> tensor<140x32xbf16>
// CHECK: prim.dot_general %[[X]], %[[G]] batch [] x [] contract [1] x [0] : tensor<16x140xbf16>, tensor<140x32xbf16> -> tensor<16x32xbf16>
func.func @filter_gradient(%x: tensor<4x7x5x16xbf16>, %g: tensor<4x7x5x32xbf16>) -> tensor<16x1x1x32xbf16> {
  %0 = prim.transpose %x permutation [3, 1, 2, 0] : tensor<4x7x5x16xbf16> -> tensor<16x7x5x4xbf16>
  %1 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<4x7x5x32xbf16> -> tensor<32x7x5x4xbf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<16x7x5x4xbf16>, tensor<32x7x5x4xbf16> -> tensor<16x1x1x32xbf16>
  return %2 : tensor<16x1x1x32xbf16>
}

// Of a window with gaps the product has the elements that it reads.
// CHECK-LABEL: func.func @gaps
// CHECK: prim.slice %arg0 starts [0, 0, 0, 0] limits [-1, 7, 5, -1] strides [1, 2, 1, 1] : tensor<2x8x5x16xf32> -> tensor<2x4x5x16xf32>
// CHECK: prim.dot_general {{.*}} tensor<2x320xf32>, tensor<320x3xf32> -> tensor<2x3xf32>
func.func @gaps(%x: tensor<2x8x5x16xf32>, %w: tensor<3x4x5x16xf32>) -> tensor<2x1x1x3xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 2, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<2x8x5x16xf32>, tensor<3x4x5x16xf32> -> tensor<2x1x1x3xf32>
  return %0 : tensor<2x1x1x3xf32>
}

// Sizes that are not known stay so; a slice of an input that is transposed is one of what lies in memory.
// CHECK-LABEL: func.func @open_gaps
// CHECK: prim.slice %arg0 starts [0, 0, 0, 0] limits [-1, 7, 5, -1] strides [1, 2, 1, 1] : tensor<?x8x5x16xf32> -> tensor<?x4x5x16xf32>
// CHECK: prim.dot_general
func.func @open_gaps(%x: tensor<?x8x5x16xf32>, %w: tensor<3x4x5x16xf32>) -> tensor<?x1x1x3xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 2, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x8x5x16xf32>, tensor<3x4x5x16xf32> -> tensor<?x1x1x3xf32>
  return %0 : tensor<?x1x1x3xf32>
}
// CHECK-LABEL: func.func @strided_filter_gradient
// CHECK: %[[S:.*]] = prim.slice %arg0 starts [0, 0, 0, 0] limits [-1, 9, 7, -1] strides [1, 2, 2, 1] : tensor<4x9x7x16xbf16> -> tensor<4x5x4x16xbf16>
// CHECK: prim.transpose %[[S]] permutation [3, 0, 1, 2]
// CHECK: prim.dot_general {{.*}} tensor<16x80xbf16>, tensor<80x32xbf16> -> tensor<16x32xbf16>
func.func @strided_filter_gradient(%x: tensor<4x9x7x16xbf16>, %g: tensor<4x5x4x32xbf16>) -> tensor<16x1x1x32xbf16> {
  %0 = prim.transpose %x permutation [3, 1, 2, 0] : tensor<4x9x7x16xbf16> -> tensor<16x9x7x4xbf16>
  %1 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<4x5x4x32xbf16> -> tensor<32x5x4x4xbf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 2, 2>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<16x9x7x4xbf16>, tensor<32x5x4x4xbf16> -> tensor<16x1x1x32xbf16>
  return %2 : tensor<16x1x1x32xbf16>
}

// A window without channels sums nothing, neither does a product without depth.
// CHECK-LABEL: func.func @no_channels
// CHECK-NEXT: %[[Z:.*]] = prim.constant dense<0.000000e+00> : tensor<2x6x3xf32>
// CHECK-NEXT: return %[[Z]]
func.func @no_channels(%x: tensor<2x6x0xf32>, %w: tensor<3x1x0xf32>) -> tensor<2x6x3xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>,
    dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 1 : i64}
    : tensor<2x6x0xf32>, tensor<3x1x0xf32> -> tensor<2x6x3xf32>
  return %0 : tensor<2x6x3xf32>
}

// CHECK-LABEL: func.func @no_depth
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: prim.full 0 : i32 sizes(%[[N]]) : tensor<?x4xi32>
func.func @no_depth(%x: tensor<?x0xi8>, %y: tensor<0x4xi8>) -> tensor<?x4xi32> {
  %0 = prim.dot_general %x, %y batch [] x [] contract [1] x [0] : tensor<?x0xi8>, tensor<0x4xi8> -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}
