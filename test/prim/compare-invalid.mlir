// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @eq_result(%a: tensor<4xf32>) {
  // expected-error @+1 {{must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xi8>'}}
  %0 = prim.eq %a, %a : tensor<4xf32> -> tensor<4xi8>
  return
}

// -----

func.func @eq_shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{failed to verify that all of {lhs, result} have same shape}}
  %0 = prim.eq %a, %a : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @where_shape(%c: tensor<5xi1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{failed to verify that all of {condition, result} have same shape}}
  %0 = prim.where %c, %a, %a : tensor<5xi1>, tensor<4xf32>
  return
}
