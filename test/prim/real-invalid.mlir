// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @isnan_type(%a: tensor<4xi32>) {
  // expected-error @+1 {{must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float or float of at most 8 bits values}}
  %0 = prim.isnan %a : tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

func.func @isnan_shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{failed to verify that all of {operand, result} have same shape}}
  %0 = prim.isnan %a : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @reduce_precision_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected at least 1 bit of exponent and 0 of mantissa, found 0 and 3}}
  %0 = prim.reduce_precision %a exponent 0 mantissa 3 : tensor<4xf32>
  return
}

// -----

func.func @reduce_precision_c1_mantissa(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected at least 1 bit of exponent and 0 of mantissa, found 5 and -1}}
  %0 = prim.reduce_precision %a exponent 5 mantissa -1 : tensor<4xf32>
  return
}
