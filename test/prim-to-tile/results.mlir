// The memory of a result is allocated in the shape of the result, whatever shape its kernel writes, so that the
// runtime can put a caller's tensor in its place.

// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=rows
// RUN: kiln-run %s --target=cpu --check --entry=twice
// RUN: kiln-run %s --target=cpu --check --entry=open --dim=3
// RUN: kiln-run %s --target=cpu --check --entry=read
// RUN: kiln-run %s --target=cpu --check --entry=shared

// CHECK-LABEL: program.func @rows
// CHECK: %[[R:.*]] = program.alloc : memref<2x3x5xf32>
// CHECK: program.view %[[R]] {{.*}} -> memref<6x5xf32>
// CHECK: program.launch
// CHECK: program.return %[[R]]
func.func @rows(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = prim.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = prim.dot_general %0, %w batch [] x [] contract [1] x [0] : tensor<6x4xf32>, tensor<4x5xf32> -> tensor<6x5xf32>
  %2 = prim.reshape %1 : tensor<6x5xf32> -> tensor<2x3x5xf32>
  return %2 : tensor<2x3x5xf32>
}

// Of two results that share memory the second one is a view.
// CHECK-LABEL: program.func @twice
// CHECK: %[[R:.*]] = program.alloc : memref<2x3x5xf32>
// CHECK: %[[V:.*]] = program.view %[[R]] {{.*}} -> memref<30xf32>
// CHECK: program.return %[[R]], %[[V]]
func.func @twice(%x: tensor<6x5xf32>) -> (tensor<2x3x5xf32>, tensor<30xf32>) {
  %0 = prim.exp %x : tensor<6x5xf32>
  %1 = prim.reshape %0 : tensor<6x5xf32> -> tensor<2x3x5xf32>
  %2 = prim.reshape %0 : tensor<6x5xf32> -> tensor<30xf32>
  return %1, %2 : tensor<2x3x5xf32>, tensor<30xf32>
}

// CHECK-LABEL: program.func @open
// CHECK: %[[R:.*]] = program.alloc sizes({{.*}}) : memref<?x1x4xf32>
// CHECK: program.return %[[R]]
func.func @open(%x: tensor<?x4xf32>) -> tensor<?x1x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %0 = prim.exp %x : tensor<?x4xf32>
  %1 = prim.reshape %0 sizes(%n) : tensor<?x4xf32> -> tensor<?x1x4xf32>
  return %1 : tensor<?x1x4xf32>
}

// A kernel that reads the result has the shape that it was written in.
// CHECK-LABEL: program.func @read
// CHECK: %[[R:.*]] = program.alloc : memref<2x3x5xf32>
// CHECK: program.launch [@{{.*}}_dot]
// CHECK: program.launch [@read_1_sum]
// CHECK: program.return %[[R]]
func.func @read(%x: tensor<6x4xf32>, %w: tensor<4x5xf32>) -> (tensor<2x3x5xf32>, tensor<6xf32>) {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<6x4xf32>, tensor<4x5xf32> -> tensor<6x5xf32>
  %1 = prim.reshape %0 : tensor<6x5xf32> -> tensor<2x3x5xf32>
  %2 = prim.sum %0 dims [1] : tensor<6x5xf32> -> tensor<6xf32>
  return %1, %2 : tensor<2x3x5xf32>, tensor<6xf32>
}

// Results that share memory: all of it in another shape, a part of it, and a second allocation of that size.
func.func @shared(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<2x6xf32>, tensor<2x12xf32>, tensor<24xf32>) {
  %a = prim.exp %x : tensor<4x6xf32>
  %b = prim.tanh %a : tensor<4x6xf32>
  %flat = prim.reshape %a : tensor<4x6xf32> -> tensor<24xf32>
  %part = prim.slice %a starts [1, 0] limits [3, 6] strides [1, 1] : tensor<4x6xf32> -> tensor<2x6xf32>
  %other = prim.reshape %b : tensor<4x6xf32> -> tensor<2x12xf32>
  %again = prim.reshape %a : tensor<4x6xf32> -> tensor<24xf32>
  return %flat, %part, %other, %again : tensor<24xf32>, tensor<2x6xf32>, tensor<2x12xf32>, tensor<24xf32>
}
