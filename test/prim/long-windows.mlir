// Long windows that move by single elements are made of windows of 1, 2, 4, 8 ... elements; others combine their elements one by one.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-decompose))' | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=running --check | FileCheck %s --check-prefix=VALUES
// RUN: kiln-run %s --target=cpu --entry=dilated --check | FileCheck %s --check-prefix=VALUES
// RUN: kiln-run %s --target=cpu --entry=longest --check | FileCheck %s --check-prefix=VALUES
// VALUES: ok:

// 21 elements are 1 + 4 + 16: four doublings and two combinations.
// CHECK-LABEL: func.func @running(
// CHECK-COUNT-6: prim.exp
// CHECK-NOT: prim.exp
// CHECK: return {{.*}} : tensor<3x21xf32>
func.func @running(%x: tensor<3x21xf32>) -> tensor<3x21xf32> {
  %z = prim.constant dense<0xFF800000> : tensor<f32>
  %0 = prim.reduce_window (%x) inits (%z) {window = array<i64: 1, 21>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 20>,
    pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>}
    : (tensor<3x21xf32>, tensor<f32>) -> tensor<3x21xf32> {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = prim.maximum %p, %q : tensor<f32>
    %l = prim.minimum %p, %q : tensor<f32>
    %d = prim.sub %l, %m : tensor<f32>
    %n = prim.ne %d, %d : tensor<f32> -> tensor<i1>
    %e = prim.exp %d : tensor<f32>
    %g = prim.log1p %e : tensor<f32>
    %s = prim.add %m, %g : tensor<f32>
    %r = prim.where %n, %m, %s : tensor<i1>, tensor<f32>
    prim.yield %r : tensor<f32>
  }
  return %0 : tensor<3x21xf32>
}

// Two tensors, and places that are three apart: 18 elements are 2 + 16.
// CHECK-LABEL: func.func @dilated(
// CHECK-COUNT-5: prim.mul
// CHECK-NOT: prim.mul
// CHECK: return {{.*}} : tensor<9xf32>, tensor<9xf32>
func.func @dilated(%x: tensor<60xf32>, %y: tensor<60xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %o = prim.constant dense<1.0> : tensor<f32>
  %z = prim.constant dense<0.0> : tensor<f32>
  %0:2 = prim.reduce_window (%x, %y) inits (%o, %z) {window = array<i64: 18>, strides = array<i64: 1>, pad_low = array<i64: 0>,
    pad_high = array<i64: 0>, dilation = array<i64: 3>, input_dilation = array<i64: 1>}
    : (tensor<60xf32>, tensor<60xf32>, tensor<f32>, tensor<f32>) -> (tensor<9xf32>, tensor<9xf32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %p = prim.mul %a, %c : tensor<f32>
    %s = prim.add %b, %d : tensor<f32>
    prim.yield %p, %s : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<9xf32>, tensor<9xf32>
}

// Windows that move by more than one element stay as they are.
// CHECK-LABEL: func.func @strided(
// CHECK-COUNT-19: prim.add
// CHECK-NOT: prim.add
// CHECK: return {{.*}} : tensor<3xf32>
func.func @strided(%x: tensor<60xf32>) -> tensor<3xf32> {
  %z = prim.constant dense<0.0> : tensor<f32>
  %0 = prim.reduce_window (%x) inits (%z) {window = array<i64: 20>, strides = array<i64: 20>, pad_low = array<i64: 0>,
    pad_high = array<i64: 0>, dilation = array<i64: 1>, input_dilation = array<i64: 1>} : (tensor<60xf32>, tensor<f32>) -> tensor<3xf32> {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = prim.add %p, %q : tensor<f32>
    prim.yield %s : tensor<f32>
  }
  return %0 : tensor<3xf32>
}

// There is no longest one: 2000 elements are 11 doublings' worth.
// CHECK-LABEL: func.func @longest(
// CHECK-COUNT-15: prim.maximum
// CHECK-NOT: prim.maximum
// CHECK: return
func.func @longest(%x: tensor<2000xi32>) -> tensor<2000xi32> {
  %z = prim.constant dense<-2147483648> : tensor<i32>
  %0 = prim.reduce_window (%x) inits (%z) {window = array<i64: 2000>, strides = array<i64: 1>, pad_low = array<i64: 1999>,
    pad_high = array<i64: 0>, dilation = array<i64: 1>, input_dilation = array<i64: 1>} : (tensor<2000xi32>, tensor<i32>) -> tensor<2000xi32> {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = prim.maximum %p, %q : tensor<i32>
    prim.yield %s : tensor<i32>
  }
  return %0 : tensor<2000xi32>
}
