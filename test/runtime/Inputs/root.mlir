// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
func.func @root(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0:2 = prim.cholesky %a : tensor<2x2xf32>
  return %0#0 : tensor<2x2xf32>
}
func.func @twice(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0:2 = prim.cholesky %a : tensor<2x2xf32>
  %1:2 = prim.cholesky %0#0 : tensor<2x2xf32>
  return %0#0, %1#0 : tensor<2x2xf32>, tensor<2x2xf32>
}
