// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s
// A line of more elements than the constants of its decomposition may have.
func.func @f(%x: tensor<4x4294967295xf32>) -> tensor<4x4294967295xf32> {
  // CHECK: fourier-long.mlir:[[#@LINE+1]]:12: error: unsupported: prim.fourier has no schedule and was not decomposed
  %r, %s = prim.fourier %x, %x dim 1 : tensor<4x4294967295xf32>, tensor<4x4294967295xf32> -> tensor<4x4294967295xf32>, tensor<4x4294967295xf32>
  return %r : tensor<4x4294967295xf32>
}
