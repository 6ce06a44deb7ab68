// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @clz_type(%a: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 8-bit signless integer}}
  %0 = prim.clz %a : tensor<4xi1>
  return
}

// -----

func.func @bitwise_and_type(%a: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 1-bit signless integer}}
  %0 = prim.bitwise_and %a, %a : tensor<4xf32>
  return
}
