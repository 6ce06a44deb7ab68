// Where threads share tiles, the gradient of the input of a depthwise convolution with strides is computed by phases, with its channels last.
// Products read the phases of a spread input themselves.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-split-phases{least-work=0}))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-split-phases{least-work=10000000}))' | FileCheck %s --check-prefix=LEAST
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program --entry=depthwise | FileCheck %s --check-prefix=PROGRAM
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=small --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=depthwise
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: func.func @depthwise(
// CHECK-COUNT-4: prim.conv {{.*}}input_dilation = array<i64: 1, 1>
// CHECK-NOT: prim.conv
// CHECK: prim.cat {{.*}}x32xf32>
// LEAST-LABEL: func.func @depthwise(
// LEAST: input_dilation = array<i64: 2, 2>
// PROGRAM-LABEL: program.func @depthwise(
// PROGRAM-COUNT-4: program.launch {{.*}}generic.unrolled_window
func.func @depthwise(%g: tensor<8x28x28x32xf32>, %w: tensor<32x3x3x1xf32>) -> tensor<8x56x56x32xf32> {
  %x = prim.conv %g, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 2, 2>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 32 : i64} : tensor<8x28x28x32xf32>, tensor<32x3x3x1xf32> -> tensor<8x56x56x32xf32>
  return %x : tensor<8x56x56x32xf32>
}

func.func @small(%g: tensor<1x3x4x8xf32>, %w: tensor<8x5x5x1xf32>) -> tensor<1x6x7x8xf32> {
  %x = prim.conv %g, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 3, 2>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 8 : i64} : tensor<1x3x4x8xf32>, tensor<8x5x5x1xf32> -> tensor<1x6x7x8xf32>
  return %x : tensor<1x6x7x8xf32>
}

// A matmul in disguise stays whole.
// CHECK-LABEL: func.func @dense(
// CHECK: input_dilation = array<i64: 2, 2>
// CHECK-NOT: prim.cat
func.func @dense(%g: tensor<4x14x14x32xf32>, %w: tensor<16x3x3x32xf32>) -> tensor<4x28x28x16xf32> {
  %x = prim.conv %g, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 2, 2>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<4x14x14x32xf32>, tensor<16x3x3x32xf32> -> tensor<4x28x28x16xf32>
  return %x : tensor<4x28x28x16xf32>
}
