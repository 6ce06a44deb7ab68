// kiln-keep-entries keeps the variables that operations of TOSA name by a text, and drops others.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-keep-entries{entry=wanted})' | FileCheck %s --implicit-check-not=@other
// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=REASON
// REASON: keep-variables.mlir:[[@LINE+6]]:3: error: unsupported: tosa.variable_write has no translation to prim

// CHECK: tosa.variable @state
tosa.variable @state = dense<1.0> : tensor<2x3xf32>
tosa.variable @other = dense<2.0> : tensor<2x3xf32>
func.func @wanted(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  tosa.variable_write @state, %a : tensor<2x3xf32>
  %r = tosa.variable_read @state : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
