// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%a: tensor<?xi32>, %b: tensor<4xi1>) {
  // CHECK: prim.bitwise_not %{{.*}} : tensor<4xi1>
  %0 = prim.bitwise_not %b : tensor<4xi1>
  // CHECK: prim.clz %{{.*}} : tensor<?xi32>
  %1 = prim.clz %a : tensor<?xi32>
  // CHECK: prim.shift_right_arithmetic %{{.*}}, %{{.*}} : tensor<?xi32>
  %2 = prim.shift_right_arithmetic %a, %1 : tensor<?xi32>
  // CHECK: prim.bitwise_xor %{{.*}}, %{{.*}} : tensor<4xi1>
  %3 = prim.bitwise_xor %b, %0 : tensor<4xi1>
  return
}
