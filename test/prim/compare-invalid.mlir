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

// -----

func.func @lt_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'f32'}}
  %0 = prim.lt %x, %x unsigned : tensor<4xf32> -> tensor<4xi1>
  return
}

// -----

func.func @le_c1(%x: tensor<4xi1>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'i1'}}
  %0 = prim.le %x, %x unsigned : tensor<4xi1> -> tensor<4xi1>
  return
}

// -----

func.func @gt_c1(%x: tensor<4xf64>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'f64'}}
  %0 = prim.gt %x, %x unsigned : tensor<4xf64> -> tensor<4xi1>
  return
}

// -----

func.func @ge_c1(%x: tensor<4xf16>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'f16'}}
  %0 = prim.ge %x, %x unsigned : tensor<4xf16> -> tensor<4xi1>
  return
}
