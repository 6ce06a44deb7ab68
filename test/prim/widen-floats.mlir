// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-widen-floats))' | FileCheck %s

// What computes takes f32; what moves takes bytes.
// CHECK-LABEL: func.func @sum
// CHECK: %[[MOVED:.*]] = prim.transpose %{{.*}} : tensor<4x8xf8E4M3FN>
// CHECK: %[[WIDE:.*]] = prim.convert_element_type %[[MOVED]] : tensor<8x4xf8E4M3FN> -> tensor<8x4xf32>
// CHECK: %[[OTHER:.*]] = prim.convert_element_type %{{.*}} : tensor<8x4xf8E4M3FN> -> tensor<8x4xf32>
// CHECK: %[[ADDED:.*]] = prim.add %[[WIDE]], %[[OTHER]] : tensor<8x4xf32>
// CHECK: %[[ROUNDED:.*]] = prim.convert_element_type %[[ADDED]] : tensor<8x4xf32> -> tensor<8x4xf8E4M3FN>
// CHECK: %[[AGAIN:.*]] = prim.convert_element_type %[[ROUNDED]]
// CHECK: %[[SUM:.*]] = prim.sum %[[AGAIN]] dims [1] : tensor<8x4xf32> -> tensor<8xf32>
// CHECK: prim.convert_element_type %[[SUM]] : tensor<8xf32> -> tensor<8xf8E4M3FN>
func.func @sum(%x: tensor<4x8xf8E4M3FN>, %y: tensor<8x4xf8E4M3FN>) -> tensor<8xf8E4M3FN> {
  %0 = prim.transpose %x permutation [1, 0] : tensor<4x8xf8E4M3FN> -> tensor<8x4xf8E4M3FN>
  %1 = prim.add %0, %y : tensor<8x4xf8E4M3FN>
  %2 = prim.sum %1 dims [1] : tensor<8x4xf8E4M3FN> -> tensor<8xf8E4M3FN>
  return %2 : tensor<8xf8E4M3FN>
}

// Products have instructions for bf16, which holds all but scales.
// CHECK-LABEL: func.func @product
// CHECK: prim.dot_general {{.*}} : tensor<4x8xbf16>, tensor<8x2xbf16> -> tensor<4x2xf32>
// CHECK: prim.dot_general {{.*}} : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
func.func @product(%x: tensor<4x8xf8E5M2>, %y: tensor<8x2xf8E5M2>, %a: tensor<4x8xf8E8M0FNU>, %b: tensor<8x2xf8E8M0FNU>)
    -> (tensor<4x2xf8E5M2>, tensor<4x2xf32>) {
  %0 = prim.dot_general %x, %y batch [] x [] contract [1] x [0] : tensor<4x8xf8E5M2>, tensor<8x2xf8E5M2> -> tensor<4x2xf8E5M2>
  %1 = prim.dot_general %a, %b batch [] x [] contract [1] x [0]
    : tensor<4x8xf8E8M0FNU>, tensor<8x2xf8E8M0FNU> -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf8E5M2>, tensor<4x2xf32>
}

// A combiner rounds at each step, and hands on f32.
// CHECK-LABEL: func.func @combiner
// CHECK: prim.reduce{{.*}} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// CHECK: prim.convert_element_type %[[A]] : tensor<f32> -> tensor<f8E5M2>
// CHECK: prim.maximum %{{.*}}, %{{.*}} : tensor<f32>
// CHECK: prim.yield %{{.*}} : tensor<f32>
func.func @combiner(%x: tensor<4x8xf8E5M2>, %z: tensor<f8E5M2>) -> tensor<4xf8E5M2> {
  %0 = prim.reduce (%x) inits (%z) dims [1] : (tensor<4x8xf8E5M2>, tensor<f8E5M2>) -> tensor<4xf8E5M2> {
  ^bb0(%a: tensor<f8E5M2>, %b: tensor<f8E5M2>):
    %1 = prim.maximum %a, %b : tensor<f8E5M2>
    prim.yield %1 : tensor<f8E5M2>
  }
  return %0 : tensor<4xf8E5M2>
}

// Numbers among the attributes are f32, too.
// CHECK-LABEL: func.func @clamped
// CHECK: prim.clamp %{{.*}} min -1.000000e+00 : f32 max 1.500000e+00 : f32
// CHECK: prim.neg %{{.*}} : tensor<4xf4E2M1FN>
func.func @clamped(%x: tensor<4xf4E2M1FN>) -> tensor<4xf4E2M1FN> {
  %0 = prim.clamp %x min -1.0 : f4E2M1FN max 1.5 : f4E2M1FN : tensor<4xf4E2M1FN>
  %1 = prim.neg %0 : tensor<4xf4E2M1FN>
  return %1 : tensor<4xf4E2M1FN>
}

// The sign of a NaN may be lost where floats are widened.
// CHECK-LABEL: func.func @signs
// CHECK-NEXT: prim.signbit %arg0 : tensor<4xf8E4M3FN> -> tensor<4xi1>
// CHECK-NEXT: prim.convert_element_type %arg1 : tensor<4xf8E5M2FNUZ> -> tensor<4xf32>
// CHECK-NEXT: prim.signbit
func.func @signs(%x: tensor<4xf8E4M3FN>, %y: tensor<4xf8E5M2FNUZ>) -> (tensor<4xi1>, tensor<4xi1>) {
  %a = prim.signbit %x : tensor<4xf8E4M3FN> -> tensor<4xi1>
  %b = prim.signbit %y : tensor<4xf8E5M2FNUZ> -> tensor<4xi1>
  return %a, %b : tensor<4xi1>, tensor<4xi1>
}
