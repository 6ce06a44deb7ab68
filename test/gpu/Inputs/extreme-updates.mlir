// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatters of the largest and the smallest elements, whose places meet.
func.func @largest(%x: tensor<8x32xf32>, %t: tensor<128x1xi64>, %u: tensor<128x1x32xf32>) -> tensor<8x32xf32> {
  %limit = prim.full 8 : i64 : tensor<128x1xi64>
  %i = prim.remainder %t, %limit : tensor<128x1xi64>
  %r = prim.scatter max %x, %i, %u dims [0] batch_dims 0 : tensor<8x32xf32>, tensor<128x1xi64>, tensor<128x1x32xf32>
  return %r : tensor<8x32xf32>
}

func.func @smallest(%x: tensor<8x32xf32>, %t: tensor<128x1xi64>, %u: tensor<128x1x32xf32>) -> tensor<8x32xf32> {
  %limit = prim.full 8 : i64 : tensor<128x1xi64>
  %i = prim.remainder %t, %limit : tensor<128x1xi64>
  %r = prim.scatter min %x, %i, %u dims [0] batch_dims 0 : tensor<8x32xf32>, tensor<128x1xi64>, tensor<128x1x32xf32>
  return %r : tensor<8x32xf32>
}

func.func @wide(%x: tensor<8x32xf64>, %t: tensor<128x1xi64>, %u: tensor<128x1x32xf64>) -> tensor<8x32xf64> {
  %limit = prim.full 8 : i64 : tensor<128x1xi64>
  %i = prim.remainder %t, %limit : tensor<128x1xi64>
  %r = prim.scatter max %x, %i, %u dims [0] batch_dims 0 : tensor<8x32xf64>, tensor<128x1xi64>, tensor<128x1x32xf64>
  return %r : tensor<8x32xf64>
}
