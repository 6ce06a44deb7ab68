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

// Numbers that were sizes, or are known, are so again; narrow ones may have wrapped.
// CHECK-LABEL: func.func @to_index
// CHECK: prim.to_index %{{.*}} : tensor<i32>
// PARTS-LABEL: func.func @to_index
// PARTS-DAG: %[[FIVE:.*]] = arith.constant -5 : index
// PARTS-DAG: %[[N:.*]] = prim.to_index %arg0 : tensor<i32>
// PARTS-DAG: %[[W:.*]] = prim.to_index %{{.*}} : tensor<i8>
// PARTS: return %[[N]], %arg1, %[[W]], %[[FIVE]], %arg2
func.func @to_index(%t: tensor<i32>, %n: index, %u: tensor<i64>) -> (index, index, index, index, tensor<i64>) {
  %0 = prim.to_index %t : tensor<i32>
  %1 = prim.from_index %n : tensor<i64>
  %2 = prim.to_index %1 : tensor<i64>
  %3 = prim.from_index %n : tensor<i8>
  %4 = prim.to_index %3 : tensor<i8>
  %5 = prim.constant dense<-5> : tensor<i16>
  %6 = prim.to_index %5 : tensor<i16>
  %7 = prim.to_index %u : tensor<i64>
  %8 = prim.from_index %7 : tensor<i64>
  return %0, %2, %4, %6, %8 : index, index, index, index, tensor<i64>
}
