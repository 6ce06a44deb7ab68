// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The package model.kiln is this file.
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %table = "tosa.const"() {values = dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]> : tensor<1x8xf32>} : () -> tensor<1x8xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.mul %x, %table, %shift : (tensor<?x8xf32>, tensor<1x8xf32>, tensor<1xi8>) -> tensor<?x8xf32>
  %1 = tosa.tanh %0 : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
