// Gradients of filters of few channels, for one image: no block of a product is full, so patches of the input are copied.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-split-phases))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v4,threads=1},func.func(prim-split-phases))' | FileCheck %s --check-prefix=CPU
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=strided --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed
// RUN: kiln-run %s --target=amd:gfx942,device=sim --entry=colours --no-fallback --check 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: kiln-run %s --target=amd:gfx942,device=sim --entry=strided --no-fallback --check 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: result 0: ok

// Three channels, and nine places of the filter.
// CHECK-LABEL: func.func @colours
// CHECK: %[[X:.*]] = prim.pad %{{.*}} low [0, 1, 1, 0] high [0, 1, 1, 0]
// CHECK-COUNT-9: prim.slice %[[X]] {{.*}} -> tensor<3x64x64x1xf16>
// CHECK: prim.cat {{.*}} -> tensor<3x9x4096xf16>
// CHECK: prim.dot_general {{.*}} contract [1] x [1] : tensor<27x4096xf16>, tensor<4x4096xf16> -> tensor<27x4xf16>
// CHECK: prim.reshape {{.*}} -> tensor<3x3x3x4xf16>
// CHECK-NOT: prim.conv
// CPU-LABEL: func.func @colours
// CPU: prim.conv
func.func @colours(%x: tensor<3x64x64x1xf16>, %g: tensor<4x64x64x1xf16>) -> tensor<3x3x3x4xf16> {
  %r = prim.conv %x, %g {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x64x64x1xf16>, tensor<4x64x64x1xf16> -> tensor<3x3x3x4xf16>
  return %r : tensor<3x3x3x4xf16>
}

// A convolution with strides of two has a dilated window as gradient; a dilated one has strides.
// CHECK-LABEL: func.func @strided
// CHECK: prim.slice %{{.*}} starts [0, 2, 0] limits [1, 8193, 1] strides [1, 2, 1]
// CHECK-NOT: prim.conv
func.func @strided(%x: tensor<1x8194x1xf32>, %g: tensor<3x4096x1xf32>) -> tensor<1x3x3xf32> {
  %r = prim.conv %x, %g {strides = array<i64: 2>, pad_low = array<i64: 0>, pad_high = array<i64: 1>, dilation = array<i64: 2>, input_dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8194x1xf32>, tensor<3x4096x1xf32> -> tensor<1x3x3xf32>
  return %r : tensor<1x3x3xf32>
}

// Two images are a depth of their own.
// CHECK-LABEL: func.func @images
// CHECK: prim.conv
func.func @images(%x: tensor<3x64x64x2xf16>, %g: tensor<4x64x64x2xf16>) -> tensor<3x3x3x4xf16> {
  %r = prim.conv %x, %g {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x64x64x2xf16>, tensor<4x64x64x2xf16> -> tensor<3x3x3x4xf16>
  return %r : tensor<3x3x3x4xf16>
}

// A convolution whose filters are small stays.
// CHECK-LABEL: func.func @forward
// CHECK: prim.conv
func.func @forward(%x: tensor<1x64x64x3xf16>, %w: tensor<4x3x3x3xf16>) -> tensor<1x64x64x4xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x64x64x3xf16>, tensor<4x3x3x3xf16> -> tensor<1x64x64x4xf16>
  return %r : tensor<1x64x64x4xf16>
}
