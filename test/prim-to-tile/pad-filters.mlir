// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-split-phases))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v4,threads=1},func.func(prim-split-phases))' | FileCheck %s --check-prefix=CPU
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SCHEDULE

// The gradient of one filter, whose window are lines of signals: a product
// needs two filters.
// CHECK-LABEL: func.func @gradient
// CHECK: prim.pad %{{.*}} low [0, 0, 0] high [1, 0, 0]
// CHECK: prim.conv {{.*}}tensor<2x4096x8xf16> -> tensor<32x7x2xf16>
// CHECK: prim.slice {{.*}}limits [32, 7, 1]
// CPU-LABEL: func.func @gradient
// CPU-NOT: prim.pad
// SCHEDULE: generic.deep_window
func.func @gradient(%x: tensor<32x4096x8xf16>, %g: tensor<1x4096x8xf16>) -> tensor<32x7x1xf16> {
  %r = prim.conv %x, %g {strides = array<i64: 1>, pad_low = array<i64: 3>, pad_high = array<i64: 3>, dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 1 : i64} : tensor<32x4096x8xf16>, tensor<1x4096x8xf16> -> tensor<32x7x1xf16>
  return %r : tensor<32x7x1xf16>
}

// An even number of filters stays.
// CHECK-LABEL: func.func @even
// CHECK-NOT: prim.pad
func.func @even(%x: tensor<32x4096x8xf16>, %g: tensor<2x4096x8xf16>) -> tensor<32x7x2xf16> {
  %r = prim.conv %x, %g {strides = array<i64: 1>, pad_low = array<i64: 3>, pad_high = array<i64: 3>, dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 1 : i64} : tensor<32x4096x8xf16>, tensor<2x4096x8xf16> -> tensor<32x7x2xf16>
  return %r : tensor<32x7x2xf16>
}
