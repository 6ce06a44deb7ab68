// Sorts become an order and gathers by it. What a slice of a result does not take is not gathered, and a list of places is the order itself.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: kiln-run %s --target=reference --entry=parts --arg=random:1 --result=0:%t.0.npy --result=1:%t.1.npy --result=2:%t.2.npy
// RUN: kiln-run %t.mlir --target=reference --entry=parts --arg=random:1 --expect=0:%t.0.npy --expect=1:%t.1.npy --expect=2:%t.2.npy

// CHECK-LABEL: func.func @parts
// CHECK: %[[ORDER:.*]] = prim.argsort %{{.*}} dim 1 descending : tensor<4x9xf32> -> tensor<4x9xi32>
// CHECK: %[[PART:.*]] = prim.slice %[[ORDER]] starts [0, 2] limits [4, 5]
// CHECK-NOT: prim.slice
// CHECK-DAG: prim.gather %{{.*}}, %[[PART]] dim 1 batch_dims 1 : tensor<4x9xf32>, tensor<4x3xi32> -> tensor<4x3xf32>
// CHECK-DAG: prim.convert_element_type %[[PART]] : tensor<4x3xi32> -> tensor<4x3xi64>
// CHECK-DAG: prim.gather %{{.*}}, %[[ORDER]] dim 1 batch_dims 1 : tensor<4x9xi8>
func.func @parts(%x: tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>, tensor<4x9xi8>) {
  %i = prim.iota dim 1 : tensor<4x9xi64>
  %j = prim.iota dim 0 : tensor<4x9xi8>
  %r:3 = prim.sort %x, %i, %j dim 1 keys 1 descending : tensor<4x9xf32>, tensor<4x9xi64>, tensor<4x9xi8>
  %v = prim.slice %r#0 starts [0, 2] limits [4, 5] strides [1, 1] : tensor<4x9xf32> -> tensor<4x3xf32>
  %p = prim.slice %r#1 starts [0, 2] limits [4, 5] strides [1, 1] : tensor<4x9xi64> -> tensor<4x3xi64>
  return %v, %p, %r#2 : tensor<4x3xf32>, tensor<4x3xi64>, tensor<4x9xi8>
}
