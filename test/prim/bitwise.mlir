// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

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
  // CHECK: prim.population_count %{{.*}} : tensor<?xi32>
  %4 = prim.population_count %a : tensor<?xi32>
  return
}

// FOLD-LABEL: func.func @constants
// FOLD: prim.constant dense<[8, 1]> : tensor<2xi8>
func.func @constants() -> tensor<2xi8> {
  %x = prim.constant dense<[-1, -128]> : tensor<2xi8>
  %0 = prim.population_count %x : tensor<2xi8>
  return %0 : tensor<2xi8>
}
