// Sorts become an order and gathers by it. What a slice of a result does not take is not gathered, and a list of places is the order itself.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: kiln-run %s --target=reference --entry=parts --arg=random:1 --result=0:%t.0.npy --result=1:%t.1.npy --result=2:%t.2.npy
// RUN: kiln-run %t.mlir --target=reference --entry=parts --arg=random:1 --expect=0:%t.0.npy --expect=1:%t.1.npy --expect=2:%t.2.npy
// RUN: kiln-run %s --target=reference --entry=ranks --arg=random:1 --result=0:%t.3.npy --result=1:%t.4.npy --result=2:%t.5.npy
// RUN: kiln-run %t.mlir --target=reference --entry=ranks --arg=random:1 --expect=0:%t.3.npy --expect=1:%t.4.npy --expect=2:%t.5.npy
// RUN: kiln-run %s --target=reference --entry=widened --arg=random:1 --arg=random:2 --arg=random:3 --result=0:%t.6.npy --result=1:%t.7.npy --result=2:%t.8.npy
// RUN: kiln-run %t.mlir --target=reference --entry=widened --arg=random:1 --arg=random:2 --arg=random:3 --expect=0:%t.6.npy --expect=1:%t.7.npy --expect=2:%t.8.npy

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
// The same for gathers of a few elements of each line; more of them are gathered of the sorted ones.
// CHECK-LABEL: func.func @ranks
// CHECK: %[[ORDER:.*]] = prim.argsort %{{.*}} dim 1
// CHECK: %[[ALL:.*]] = prim.gather %arg0, %[[ORDER]]
// CHECK-DAG: %[[FIRST:.*]] = prim.gather %[[ORDER]], %[[FEW:.*]] dim 1 batch_dims 1 : tensor<4x9xi32>, tensor<4x2xi64> -> tensor<4x2xi32>
// CHECK-DAG: prim.gather %arg0, %[[FIRST]] dim 1 batch_dims 1 : tensor<4x9xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
// CHECK-DAG: prim.convert_element_type %{{.*}} : tensor<4x2xi32> -> tensor<4x2xi64>
// CHECK: prim.gather %[[ALL]], %{{.*}} dim 1 batch_dims 1 : tensor<4x9xf32>, tensor<4x6xi64>
func.func @ranks(%x: tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x6xf32>) {
  %r = prim.constant dense<[[0, 8], [3, 3], [5, 1], [7, 2]]> : tensor<4x2xi64>
  %s = prim.constant dense<[[0, 8, 1, 1, 2, 3], [3, 3, 6, 5, 4, 3], [5, 1, 0, 0, 0, 8], [7, 2, 3, 4, 8, 6]]> : tensor<4x6xi64>
  %i = prim.iota dim 1 : tensor<4x9xi64>
  %t:2 = prim.sort %x, %i dim 1 keys 1 : tensor<4x9xf32>, tensor<4x9xi64>
  %v = prim.gather %t#0, %r dim 1 batch_dims 1 : tensor<4x9xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
  %p = prim.gather %t#1, %r dim 1 batch_dims 1 : tensor<4x9xi64>, tensor<4x2xi64> -> tensor<4x2xi64>
  %w = prim.gather %t#0, %s dim 1 batch_dims 1 : tensor<4x9xf32>, tensor<4x6xi64> -> tensor<4x6xf32>
  return %v, %p, %w : tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x6xf32>
}
// Integers that were widened are sorted as they were before: short keys take one kernel. Others keep their type.
// CHECK-LABEL: func.func @widened
// CHECK: %[[SHORT:.*]] = prim.reshape %arg0 : tensor<3x4xi16> -> tensor<12xi16>
// CHECK: prim.argsort %[[SHORT]] dim 0 : tensor<12xi16> -> tensor<12xi32>
// CHECK: prim.argsort %{{.*}} dim 0 : tensor<12xi32> -> tensor<12xi32>
// CHECK: prim.argsort %{{.*}} dim 0 : tensor<12xi64> -> tensor<12xi32>
func.func @widened(%x: tensor<3x4xi16>, %y: tensor<12xi32>, %z: tensor<12xi16>) -> (tensor<12xi64>, tensor<12xi64>, tensor<12xi64>) {
  %i = prim.iota dim 0 : tensor<12xi64>
  %a = prim.convert_element_type %x : tensor<3x4xi16> -> tensor<3x4xi64>
  %b = prim.reshape %a : tensor<3x4xi64> -> tensor<12xi64>
  %c:2 = prim.sort %b, %i dim 0 keys 1 : tensor<12xi64>, tensor<12xi64>
  %d = prim.convert_element_type %y : tensor<12xi32> -> tensor<12xi64>
  %e:2 = prim.sort %d, %i dim 0 keys 1 : tensor<12xi64>, tensor<12xi64>
  %f = prim.convert_element_type %z from_unsigned : tensor<12xi16> -> tensor<12xi64>
  %g:2 = prim.sort %f, %i dim 0 keys 1 : tensor<12xi64>, tensor<12xi64>
  return %c#1, %e#1, %g#1 : tensor<12xi64>, tensor<12xi64>, tensor<12xi64>
}
