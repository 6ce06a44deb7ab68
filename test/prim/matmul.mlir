// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>, %h: tensor<?x8xbf16>, %i: tensor<4x8xi8>, %v: tensor<8xi8>) {
  // CHECK: prim.dot_general %{{.*}}, %{{.*}} batch [0] x [0] contract [2] x [1] : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<2x4x16xf32>
  %0 = prim.dot_general %a, %b batch [0] x [0] contract [2] x [1]
    : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<2x4x16xf32>
  // CHECK: prim.dot_general {{.*}} precision tf32 :
  %1 = prim.dot_general %a, %b batch [0] x [0] contract [2] x [1] precision tf32
    : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<2x4x16xf32>
  // CHECK: tensor<?x8xbf16>, tensor<?x8xbf16> -> tensor<?x?xf32>
  %2 = prim.dot_general %h, %h batch [] x [] contract [1] x [1] : tensor<?x8xbf16>, tensor<?x8xbf16> -> tensor<?x?xf32>
  // CHECK: tensor<4x8xi8>, tensor<8xi8> -> tensor<4xi32>
  %3 = prim.dot_general %i, %v batch [] x [] contract [1] x [0] : tensor<4x8xi8>, tensor<8xi8> -> tensor<4xi32>
  return
}
