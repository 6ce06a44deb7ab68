// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @tan_type(%a: tensor<4xi32>) {
  // expected-error @+1 {{must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float or float of at most 8 bits values}}
  %0 = prim.tan %a : tensor<4xi32>
  return
}

// -----

func.func @atan2_types(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{expects different type than prior uses}}
  %0 = prim.atan2 %a, %b : tensor<4xf32>
  return
}
