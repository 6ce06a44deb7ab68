// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose,canonicalize))' | FileCheck %s --check-prefix=PARTS

// CHECK-LABEL: func.func @forms
// PARTS-LABEL: func.func @forms
func.func @forms(%x: tensor<4x?xf32>, %u: tensor<2x3xf32>, %i: tensor<i32>, %n: index) -> (tensor<2x?xf32>, tensor<4x?xf32>, tensor<i64>) {
  // CHECK: prim.dynamic_slice %{{.*}} starts(%{{.*}}, %{{.*}}) sizes(%{{.*}}) : tensor<4x?xf32>, tensor<i32>, tensor<i32> -> tensor<2x?xf32>
  // PARTS: prim.gather %{{.*}} dim 0 batch_dims 0 : tensor<4x?xf32>, tensor<2xi64> -> tensor<2x?xf32>
  // PARTS: prim.gather %{{.*}} dim 1 batch_dims 0 : tensor<2x?xf32>, tensor<?xi64> -> tensor<2x?xf32>
  %0 = prim.dynamic_slice %x starts (%i, %i) sizes (%n) : tensor<4x?xf32>, tensor<i32>, tensor<i32> -> tensor<2x?xf32>
  // CHECK: prim.dynamic_update_slice %{{.*}}, %{{.*}} starts(%{{.*}}, %{{.*}}) : tensor<4x?xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>
  // PARTS: prim.scatter set %{{.*}} dims [0, 1] batch_dims 0 unique : tensor<4x?xf32>, tensor<2xi64>, tensor<2x3xf32>
  %1 = prim.dynamic_update_slice %x, %u starts (%i, %i) : tensor<4x?xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>
  // CHECK: prim.from_index %{{.*}} : tensor<i64>
  %2 = prim.from_index %n : tensor<i64>
  return %0, %1, %2 : tensor<2x?xf32>, tensor<4x?xf32>, tensor<i64>
}

// PARTS-LABEL: func.func @number
// PARTS-NEXT: prim.constant dense<7> : tensor<i8>
func.func @number() -> tensor<i8> {
  %c = arith.constant 263 : index
  %0 = prim.from_index %c : tensor<i8>
  return %0 : tensor<i8>
}
