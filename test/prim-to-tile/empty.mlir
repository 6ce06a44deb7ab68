// Tensors without elements: nothing is launched for an empty result, sums of nothing are zero.

// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=columns
// RUN: kiln-run %s --target=cpu --check --entry=depth
// RUN: kiln-run %s --target=cpu --check --entry=map
// RUN: kiln-run %s --target=cpu --check --entry=cat
// RUN: kiln-run %s --target=cpu --check --entry=sum
// RUN: kiln-run %s --target=cpu --check --entry=reordered --arg=zeros:f32:2x3x0x0 --arg=zeros:i1:0x0

// CHECK-LABEL: program.func @columns
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @columns(%x: tensor<4x3xf32>, %y: tensor<3x0xf32>) -> tensor<4x0xf32> {
  %0 = prim.dot_general %x, %y batch [] x [] contract [1] x [0] : tensor<4x3xf32>, tensor<3x0xf32> -> tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}
func.func @depth(%x: tensor<4x0xf32>, %y: tensor<0x6xf32>) -> tensor<4x6xf32> {
  %0 = prim.dot_general %x, %y batch [] x [] contract [1] x [0] : tensor<4x0xf32>, tensor<0x6xf32> -> tensor<4x6xf32>
  %1 = prim.exp %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
func.func @map(%x: tensor<0x5xf32>) -> tensor<0x5xf32> {
  %0 = prim.exp %x : tensor<0x5xf32>
  return %0 : tensor<0x5xf32>
}
func.func @cat(%x: tensor<4x0xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = prim.cat %x, %y dim 1 : tensor<4x0xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
func.func @sum(%x: tensor<4x0xf32>) -> tensor<4xf32> {
  %0 = prim.sum %x dims [1] : tensor<4x0xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The view of a buffer whose strides are all zero has no element, either.
func.func @reordered(%x: tensor<?x3x0x0xf32>, %y: tensor<0x0xi1>) -> tensor<3xf32> {
  %zero = prim.constant dense<0.0> : tensor<3x0x0xf32>
  %0 = prim.sum %x dims [0] : tensor<?x3x0x0xf32> -> tensor<3x0x0xf32>
  %1 = prim.broadcast_in_dim %y dims [1, 2] : tensor<0x0xi1> -> tensor<3x0x0xi1>
  %2 = prim.where %1, %zero, %0 : tensor<3x0x0xi1>, tensor<3x0x0xf32>
  %3 = prim.transpose %2 permutation [1, 2, 0] : tensor<3x0x0xf32> -> tensor<0x0x3xf32>
  %4 = prim.reshape %3 : tensor<0x0x3xf32> -> tensor<0x3xf32>
  %5 = prim.sum %4 dims [0] : tensor<0x3xf32> -> tensor<3xf32>
  return %5 : tensor<3xf32>
}
