// RUN: kiln-opt %s --split-input-file --convert-stablehlo-to-prim --verify-diagnostics | FileCheck %s

// Tokens order callbacks, as the text does; complex numbers are two tensors.
// CHECK-LABEL: func.func @tokens
// CHECK: prim.callback "1"(%{{.*}}) : (tensor<4xf32>) -> tensor<i32>
// CHECK: prim.callback "2"(%{{.*}}, %{{.*}}) : (tensor<3xf32>, tensor<3xf32>) -> ()
func.func @tokens(%x: tensor<4xf32>, %z: tensor<3xcomplex<f32>>) -> tensor<i32> {
  %t = stablehlo.create_token : !stablehlo.token
  %t1, %r = stablehlo.custom_call @"kiln.callback 1"(%t, %x) {has_side_effect = true} : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<i32>)
  %t2 = stablehlo.custom_call @"kiln.callback 2"(%t1, %z) {has_side_effect = true} : (!stablehlo.token, tensor<3xcomplex<f32>>) -> !stablehlo.token
  return %r : tensor<i32>
}

// -----

// Tokens of JAX's runtime are arguments and results without elements; others are none.
// CHECK-LABEL: func.func @runtime
// CHECK-SAME: (%{{[a-z0-9]+}}: tensor<0xi1>, %{{[a-z0-9]+}}: tensor<4xf32>) -> (tensor<0xi1>, tensor<4xf32>)
func.func @runtime(%t: !stablehlo.token {jax.token = true}, %x: tensor<4xf32>, %u: !stablehlo.token) -> (!stablehlo.token {jax.token = true}, tensor<4xf32>, !stablehlo.token) {
  return %t, %x, %u : !stablehlo.token, tensor<4xf32>, !stablehlo.token
}

// -----

// A branch that is not taken calls nothing.
// CHECK-LABEL: func.func @branch
// CHECK: prim.if
// CHECK: prim.callback "1"
// CHECK: } else {
// CHECK-NOT: prim.callback
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.if"(%c) ({
    stablehlo.custom_call @"kiln.callback 1"(%x) {has_side_effect = true} : (tensor<4xf32>) -> ()
    stablehlo.return %x : tensor<4xf32>
  }, {
    %y = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %y : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{unsupported: stablehlo.custom_call of a callback gives a size that is not known}}
  %0 = stablehlo.custom_call @"kiln.callback 1"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
