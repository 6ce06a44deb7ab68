# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole slices at computed coordinates, and convolutions of operands of two types."""
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


def convolved(image, filters):
    """Windows of 3 x 3 of images [n, h, w, c] and filters [f, 3, 3, c]."""
    high, wide = image.shape[1] - 2, image.shape[2] - 2
    return sum(numpy.einsum("nhwc,fc->nhwf", image[:, y:y + high, x:x + wide], filters[:, y, x])
               for y, x in numpy.ndindex(3, 3))


# An image and filters of two types, where all of both fits into a block and where it does not.
for channels in (2, 24):
    image, filters = integers(1, 8, 9, channels, dtype=numpy.int16, low=-32768, high=32767), integers(
        4, 3, 3, channels, dtype=numpy.int8, low=-128, high=127)
    form = {"x": "tensor<1x8x9x%dxi16>" % channels, "w": "tensor<4x3x3x%dxi8>" % channels, "r": "tensor<1x6x7x4xi64>"}
    case("conv_i16_i8_%d" % channels, """
func.func @f(%%x: %(x)s, %%w: %(w)s, %%r: %(r)s) -> %(r)s {
  %%0 = linalg.conv_2d_nhwc_fhwc ins(%%x, %%w : %(x)s, %(w)s) outs(%%r : %(r)s) -> %(r)s
  return %%0 : %(r)s
}""" % form, [image, filters, numpy.ones((1, 6, 7, 4), numpy.int64)],
         [convolved(image.astype(numpy.int64), filters.astype(numpy.int64)) + 1])
# Groups of a few channels.
image, filters = floats(2, 3, 4, 8, 8), floats(3, 4, 4, 3, 3).astype(numpy.float16)
case("conv_groups_f32_f16", """
func.func @f(%x: tensor<2x3x4x8x8xf32>, %w: tensor<3x4x4x3x3xf16>, %r: tensor<2x3x4x6x6xf32>) -> tensor<2x3x4x6x6xf32> {
  %0 = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<2x3x4x8x8xf32>, tensor<3x4x4x3x3xf16>) outs(%r : tensor<2x3x4x6x6xf32>) -> tensor<2x3x4x6x6xf32>
  return %0 : tensor<2x3x4x6x6xf32>
}""", [image, filters, numpy.zeros((2, 3, 4, 6, 6), numpy.float32)],
     [sum(numpy.einsum("ngchw,gfc->ngfhw", image[..., y:y + 6, x:x + 6], filters[..., y, x].astype(numpy.float64))
          for y, x in numpy.ndindex(3, 3)).astype(numpy.float32)])
