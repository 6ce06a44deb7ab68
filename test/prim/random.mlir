// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --prim-decompose | FileCheck %s --check-prefix=EXPAND

// CHECK-LABEL: func.func @forms
// EXPAND-LABEL: func.func @forms
// EXPAND-NOT: prim.random_bits
func.func @forms(%key: tensor<2xi32>, %c: tensor<4xi32>, %d: tensor<2xi32>, %n: index)
    -> (tensor<?x4xi32>, tensor<3xi64>, tensor<i8>) {
  // CHECK: prim.random_bits philox %{{.*}}, %{{.*}} sizes(%{{.*}}) : tensor<2xi32>, tensor<4xi32> -> tensor<?x4xi32>
  %0 = prim.random_bits philox %key, %c sizes (%n) : tensor<2xi32>, tensor<4xi32> -> tensor<?x4xi32>
  // CHECK: prim.random_bits philox_word %{{.*}}, %{{.*}} : tensor<2xi32>, tensor<4xi32> -> tensor<3xi64>
  %1 = prim.random_bits philox_word %key, %c : tensor<2xi32>, tensor<4xi32> -> tensor<3xi64>
  // CHECK: prim.random_bits threefry
  %2 = prim.random_bits threefry %key, %d : tensor<2xi32>, tensor<2xi32> -> tensor<i8>
  return %0, %1, %2 : tensor<?x4xi32>, tensor<3xi64>, tensor<i8>
}
