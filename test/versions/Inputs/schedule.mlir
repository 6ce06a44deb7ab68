// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What 0.2 let schedules be chosen by, on a function and on an operation.
func.func @absolute(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kiln.schedule = "vector"} {
  %0 = prim.abs %x {kiln.schedule = "vector"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
