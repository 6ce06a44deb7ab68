# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole slices at computed coordinates."""
import numpy
from cases_linalg import CASES, case, floats, integers  # pylint: disable=unused-import

# Rows, columns and pairs of coordinates in any order; slices keep or drop dimensions of size 1.
x = floats(6, 8, 3)
rows, pairs = integers(4, 5, 1, dtype=numpy.int64, low=0, high=6), integers(7, 2, dtype=numpy.int32, low=0, high=6)
case("gather_rows", """
func.func @f(%x: tensor<6x8x3xf32>, %i: tensor<4x5x1xi64>) -> (tensor<4x5x1x8x3xf32>, tensor<4x5x6x3xf32>) {
  %j = arith.index_cast %i : tensor<4x5x1xi64> to tensor<4x5x1xindex>
  %0 = tensor.gather %x[%j] gather_dims([0]) : (tensor<6x8x3xf32>, tensor<4x5x1xindex>) -> tensor<4x5x1x8x3xf32>
  %1 = tensor.gather %x[%j] gather_dims([1]) : (tensor<6x8x3xf32>, tensor<4x5x1xindex>) -> tensor<4x5x6x3xf32>
  return %0, %1 : tensor<4x5x1x8x3xf32>, tensor<4x5x6x3xf32>
}""", [x, rows], [x[rows[..., 0]][:, :, None], x[:, rows[..., 0]].transpose(1, 2, 0, 3)])
case("gather_pairs", """
func.func @f(%x: tensor<6x8x?xf32>, %i: tensor<?x2xi32>) -> (tensor<?x1x1x?xf32>, tensor<?x?xf32>) {
  %0 = tensor.gather %x[%i] gather_dims([0, 1]) : (tensor<6x8x?xf32>, tensor<?x2xi32>) -> tensor<?x1x1x?xf32>
  %1 = tensor.gather %x[%i] gather_dims([0, 1]) : (tensor<6x8x?xf32>, tensor<?x2xi32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x1x1x?xf32>, tensor<?x?xf32>
}""", [x, pairs], [x[pairs[:, 0], pairs[:, 1]][:, None, None], x[pairs[:, 0], pairs[:, 1]]])
ends = numpy.stack([integers(7, low=0, high=6), integers(7, low=0, high=3)], -1)
case("gather_apart", """
func.func @f(%x: tensor<6x8x3xf32>, %i: tensor<7x2xi32>) -> tensor<7x1x8x1xf32> {
  %0 = tensor.gather %x[%i] gather_dims([0, 2]) : (tensor<6x8x3xf32>, tensor<7x2xi32>) -> tensor<7x1x8x1xf32>
  return %0 : tensor<7x1x8x1xf32>
}""", [x, ends], [x[ends[:, 0], :, ends[:, 1]].reshape(7, 1, 8, 1)])

# Other slices stay as they are.
places = numpy.array([[[5], [0]], [[3], [2]]], numpy.int16)
slices, expected = floats(2, 2, 6, 3), x.copy()
expected[:, places[..., 0].reshape(-1)] = slices.reshape(4, 6, 3).transpose(1, 0, 2)
for name, shape in (("scatter_columns", "2x2x6x1x3"), ("scatter_dropped", "2x2x6x3")):
    case(name, """
func.func @f(%%x: tensor<6x8x3xf32>, %%i: tensor<2x2x1xi16>, %%s: tensor<%s>) -> tensor<6x8x3xf32> {
  %%0 = tensor.scatter %%s into %%x[%%i] scatter_dims([1]) unique : (tensor<%s>, tensor<6x8x3xf32>, tensor<2x2x1xi16>) -> tensor<6x8x3xf32>
  return %%0 : tensor<6x8x3xf32>
}""" % ((shape + "xf32",) * 2), [x, places, slices.reshape([int(n) for n in shape.split("x")])], [expected])
