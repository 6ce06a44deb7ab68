// kiln-infer-domains follows roots, logarithms and indices back to the arguments.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-infer-domains)' | FileCheck %s

// CHECK: func.func @root(%{{.*}}: tensor<4xf32> {kiln.argument = {domain = "nonnegative"}}
func.func @root(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = prim.sqrt %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
