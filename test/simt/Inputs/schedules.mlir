// Small programs, each for schedules whose kernels wait: ../schedules.test breaks the synchronisation of these kernels.

// The gradient of filters over positions.
func.func @filters(%x: tensor<2x5x5x16xf16>, %g: tensor<2x5x5x16xf16>) -> tensor<16x3x3x16xf16> {
  %0 = prim.transpose %x permutation [3, 1, 2, 0] : tensor<2x5x5x16xf16> -> tensor<16x5x5x2xf16>
  %1 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<2x5x5x16xf16> -> tensor<16x5x5x2xf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x5x5x2xf16>, tensor<16x5x5x2xf16> -> tensor<16x3x3x16xf16>
  %3 = prim.transpose %2 permutation [3, 1, 2, 0] : tensor<16x3x3x16xf16> -> tensor<16x3x3x16xf16>
  return %3 : tensor<16x3x3x16xf16>
}

// The gradient of depthwise filters.
func.func @depthwise(%x: tensor<2x9x11x16xf16>, %g: tensor<2x9x11x16xf16>) -> tensor<16x1x3x3xf16> {
  %0 = prim.transpose %x permutation [1, 2, 3, 0] : tensor<2x9x11x16xf16> -> tensor<9x11x16x2xf16>
  %1 = prim.reshape %0 : tensor<9x11x16x2xf16> -> tensor<1x9x11x32xf16>
  %2 = prim.transpose %g permutation [3, 1, 2, 0] : tensor<2x9x11x16xf16> -> tensor<16x9x11x2xf16>
  %3 = prim.conv %1, %2 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 16 : i64} : tensor<1x9x11x32xf16>, tensor<16x9x11x2xf16> -> tensor<1x3x3x16xf16>
  %4 = prim.transpose %3 permutation [3, 0, 1, 2] : tensor<1x3x3x16xf16> -> tensor<16x1x3x3xf16>
  return %4 : tensor<16x1x3x3xf16>
}

// Sums of groups of channels that lie innermost: whole lines, then parts.
func.func @channels(%x: tensor<2x16x16x64xf16>) -> tensor<2x4xf32> {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x16x16x64xf16> -> tensor<2x64x16x16xf16>
  %1 = prim.convert_element_type %0 : tensor<2x64x16x16xf16> -> tensor<2x64x16x16xf32>
  %2 = prim.reshape %1 : tensor<2x64x16x16xf32> -> tensor<2x4x4096xf32>
  %3 = prim.sum %2 dims [2] : tensor<2x4x4096xf32> -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// Fourier transforms of columns, in stages.
func.func @columns(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %r, %i = prim.fourier %x, %y dim 0 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>, tensor<64x32xf32>
  return %r, %i : tensor<64x32xf32>, tensor<64x32xf32>
}

// The gradients of attention.
func.func @gradients(%q: tensor<1x32x16xf16>, %k: tensor<1x48x16xf16>, %v: tensor<1x48x16xf16>, %g: tensor<1x32x16xf16>) -> (tensor<1x32x16xf16>, tensor<1x48x16xf16>, tensor<1x48x16xf16>) {
  %o, %l = prim.attention %q, %k, %v scale 0.25 : tensor<1x32x16xf16>, tensor<1x48x16xf16>, tensor<1x48x16xf16> -> tensor<1x32x16xf16>, tensor<1x32xf32>
  %0:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.25 : tensor<1x32x16xf16>, tensor<1x48x16xf16>, tensor<1x48x16xf16>, tensor<1x32x16xf16>, tensor<1x32x16xf16>, tensor<1x32xf32>
  return %0#0, %0#1, %0#2 : tensor<1x32x16xf16>, tensor<1x48x16xf16>, tensor<1x48x16xf16>
}

// A product whose depth is split, and a sum over many rows.
func.func @parts(%a: tensor<16x704xbf16>, %b: tensor<16x704xbf16>) -> tensor<16x16xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<16x704xbf16>, tensor<16x704xbf16> -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
func.func @more_parts(%a: tensor<64x704xbf16>, %b: tensor<64x704xbf16>) -> tensor<64x64xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<64x704xbf16>, tensor<64x704xbf16> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @rows(%x: tensor<4000x16xf32>) -> tensor<16xf32> {
  %0 = prim.sum %x dims [0] : tensor<4000x16xf32> -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Updates of few elements, which instances combine in parts.
func.func @updates(%x: tensor<16xf32>, %i: tensor<4096x1xi64>, %u: tensor<4096x1xf32>) -> tensor<16xf32> {
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<16xf32>, tensor<4096x1xi64>, tensor<4096x1xf32>
  return %r : tensor<16xf32>
}

// Updates in runs.
func.func @runs(%x: tensor<40xf32>, %i: tensor<4096x1xi64>, %u: tensor<4096x1xf32>) -> tensor<40xf32> {
  %r = prim.scatter max %x, %i, %u dims [0] batch_dims 0 : tensor<40xf32>, tensor<4096x1xi64>, tensor<4096x1xf32>
  return %r : tensor<40xf32>
}
