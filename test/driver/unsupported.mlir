// What is not handled is an error with its place, with the reasons as notes.
// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s
// CHECK: unsupported.mlir:[[#@LINE+3]]:{{[0-9]+}}: error: unsupported: {{.*}}
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
