// kiln-keep-entries keeps the variables that operations of TOSA name by a text, and drops others.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-keep-entries{entry=wanted})' | FileCheck %s --implicit-check-not=@other
// A variable is kept that is only read, and one that is only written.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-keep-entries{entry=reads})' | FileCheck %s --check-prefix=READ --implicit-check-not=@state
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-keep-entries{entry=writes})' | FileCheck %s --check-prefix=WRITE --implicit-check-not=@state
// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=REASON
// REASON: keep-variables.mlir:[[@LINE+10]]:3: error: unsupported: tosa.variable_write has no translation to prim

// CHECK: tosa.variable @state
tosa.variable @state = dense<1.0> : tensor<2x3xf32>
// READ: tosa.variable @other
// READ: tosa.variable_read @other
// WRITE: tosa.variable @other
// WRITE: tosa.variable_write @other
tosa.variable @other = dense<2.0> : tensor<2x3xf32>
func.func @wanted(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  tosa.variable_write @state, %a : tensor<2x3xf32>
  %r = tosa.variable_read @state : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @reads() -> tensor<2x3xf32> {
  %r = tosa.variable_read @other : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @writes(%a: tensor<2x3xf32>) {
  tosa.variable_write @other, %a : tensor<2x3xf32>
  return
}
