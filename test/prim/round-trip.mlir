// Operations that other tests of this folder have no text of: each parses, prints and parses again in both forms.
// RUN: kiln-opt %s > %t.pretty && FileCheck %s --input-file=%t.pretty
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | diff - %t.pretty

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<4x8xf32>) {
  // CHECK: prim.asin %{{.*}} : tensor<4x8xf32>
  %0 = prim.asin %x : tensor<4x8xf32>
  // CHECK: prim.acos %{{.*}} : tensor<4x8xf32>
  %1 = prim.acos %x : tensor<4x8xf32>
  // CHECK: prim.atan %{{.*}} : tensor<4x8xf32>
  %2 = prim.atan %x : tensor<4x8xf32>
  // CHECK: prim.sinh %{{.*}} : tensor<4x8xf32>
  %3 = prim.sinh %x : tensor<4x8xf32>
  // CHECK: prim.cosh %{{.*}} : tensor<4x8xf32>
  %4 = prim.cosh %x : tensor<4x8xf32>
  // CHECK: prim.asinh %{{.*}} : tensor<4x8xf32>
  %5 = prim.asinh %x : tensor<4x8xf32>
  // CHECK: prim.acosh %{{.*}} : tensor<4x8xf32>
  %6 = prim.acosh %x : tensor<4x8xf32>
  // CHECK: prim.atanh %{{.*}} : tensor<4x8xf32>
  %7 = prim.atanh %x : tensor<4x8xf32>
  // CHECK: prim.log10 %{{.*}} : tensor<4x8xf32>
  %8 = prim.log10 %x : tensor<4x8xf32>
  // CHECK: prim.erfc %{{.*}} : tensor<4x8xf32>
  %9 = prim.erfc %x : tensor<4x8xf32>
  // CHECK: prim.abs %{{.*}} : tensor<4x8xf32>
  %10 = prim.abs %x : tensor<4x8xf32>
  // CHECK: prim.ceil %{{.*}} : tensor<4x8xf32>
  %11 = prim.ceil %x : tensor<4x8xf32>
  // CHECK: prim.floor %{{.*}} : tensor<4x8xf32>
  %12 = prim.floor %x : tensor<4x8xf32>
  // CHECK: prim.round %{{.*}} : tensor<4x8xf32>
  %13 = prim.round %x : tensor<4x8xf32>
  // CHECK: prim.trunc %{{.*}} : tensor<4x8xf32>
  %14 = prim.trunc %x : tensor<4x8xf32>
  // CHECK: prim.sign %{{.*}} : tensor<4x8xf32>
  %15 = prim.sign %x : tensor<4x8xf32>
  // CHECK: prim.exp2 %{{.*}} : tensor<4x8xf32>
  %16 = prim.exp2 %x : tensor<4x8xf32>
  // CHECK: prim.expm1 %{{.*}} : tensor<4x8xf32>
  %17 = prim.expm1 %x : tensor<4x8xf32>
  // CHECK: prim.log %{{.*}} : tensor<4x8xf32>
  %18 = prim.log %x : tensor<4x8xf32>
  // CHECK: prim.log1p %{{.*}} : tensor<4x8xf32>
  %19 = prim.log1p %x : tensor<4x8xf32>
  // CHECK: prim.sin %{{.*}} : tensor<4x8xf32>
  %20 = prim.sin %x : tensor<4x8xf32>
  // CHECK: prim.cos %{{.*}} : tensor<4x8xf32>
  %21 = prim.cos %x : tensor<4x8xf32>
  // CHECK: prim.sqrt %{{.*}} : tensor<4x8xf32>
  %22 = prim.sqrt %x : tensor<4x8xf32>
  // CHECK: prim.relu %{{.*}} : tensor<4x8xf32>
  %23 = prim.relu %x : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>) {
  // CHECK: prim.fmax %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = prim.fmax %x, %y : tensor<4xf32>
  // CHECK: prim.fmin %{{.*}}, %{{.*}} : tensor<4xf32>
  %1 = prim.fmin %x, %y : tensor<4xf32>
  // CHECK: prim.bitwise_and %{{.*}}, %{{.*}} : tensor<4xi32>
  %2 = prim.bitwise_and %i, %j : tensor<4xi32>
  // CHECK: prim.bitwise_or %{{.*}}, %{{.*}} : tensor<4xi32>
  %3 = prim.bitwise_or %i, %j : tensor<4xi32>
  // CHECK: prim.shift_left %{{.*}}, %{{.*}} : tensor<4xi32>
  %4 = prim.shift_left %i, %j : tensor<4xi32>
  // CHECK: prim.shift_right_logical %{{.*}}, %{{.*}} : tensor<4xi32>
  %5 = prim.shift_right_logical %i, %j : tensor<4xi32>
  // CHECK: prim.eq %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %6 = prim.eq %x, %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK: prim.le %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %7 = prim.le %x, %y : tensor<4xf32> -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // CHECK: prim.sort %{{.*}}, %{{.*}} dim 1 keys 1 descending total_order : tensor<4x8xf32>, tensor<4x8xi32>
  %0:2 = prim.sort %x, %i dim 1 keys 1 descending total_order : tensor<4x8xf32>, tensor<4x8xi32>
  // CHECK: prim.sort %{{.*}} dim 0 keys 1 unsigned : tensor<4x8xi32>
  %1 = prim.sort %i dim 0 keys 1 unsigned : tensor<4x8xi32>
  // CHECK: prim.argsort %{{.*}} dim 1 descending : tensor<4x8xf32> -> tensor<4x8xi64>
  %2 = prim.argsort %x dim 1 descending : tensor<4x8xf32> -> tensor<4x8xi64>
  // CHECK: prim.top_k %{{.*}} k 2 dim 1 smallest : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi32>
  %3:2 = prim.top_k %x k 2 dim 1 smallest : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi32>
  // CHECK: prim.argmin %{{.*}} dim 1 ignore_nan : tensor<4x8xf32> -> tensor<4xi32>
  %4 = prim.argmin %x dim 1 ignore_nan : tensor<4x8xf32> -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<4x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  // CHECK: prim.reduce_window(%{{.*}}) inits(%{{.*}}) {dilation = array<i64: 1, 1>, {{.*}}window = array<i64: 1, 2>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x4xf32> {
  // CHECK: prim.yield %{{.*}} : tensor<f32>
  %0 = prim.reduce_window (%x) inits (%z) {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = prim.maximum %a, %b : tensor<f32>
    prim.yield %m : tensor<f32>
  }
  // CHECK: prim.select_and_scatter max %{{.*}}, %{{.*}} {{.*}}: tensor<4x8xf32>, tensor<4x4xf32>
  %1 = prim.select_and_scatter max %x, %s {window = array<i64: 1, 2>, strides = array<i64: 1, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<4x8xf32>, tensor<4x4xf32>
  return
}
