# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts and paddings of tensors by amounts that are known at run time only."""
import numpy

from cases_linalg import CASES, case, floats  # pylint: disable=unused-import

x, like = floats(9, 6), floats(4, 3)

case("slice_like", """
func.func @f(%x: tensor<9x?xf32>, %like: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %like, %c0 : tensor<?x?xf32>
  %n = tensor.dim %like, %c1 : tensor<?x?xf32>
  %0 = tensor.extract_slice %x[%n, 1] [%m, %n] [1, 2] : tensor<9x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}""", [x, like], [x[3:7, 1:6:2].copy()])
case("slice_from_end", """
func.func @f(%x: tensor<?x6xf32>) -> tensor<6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x6xf32>
  %last = arith.subi %m, %c1 : index
  %0 = tensor.extract_slice %x[%last, 0] [1, 6] [1, 1] : tensor<?x6xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}""", [x], [x[8]])
placed = x.copy()
placed[3:7, 1:4] = like
INSERT = """
func.func @f(%x: tensor<9x6xf32>, %part: tensor<?x3xf32>) -> tensor<9x6xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %part, %c0 : tensor<?x3xf32>
  %0 = tensor.insert_slice %part into %x[3, 1] [%m, 3] [1, 1] : tensor<?x3xf32> into tensor<9x6xf32>
  return %0 : tensor<9x6xf32>
}"""
case("insert_open", INSERT, [x, like], [placed])
case("insert_nothing", INSERT, [x, like[:0].copy()], [x])

PAD = """
func.func @f(%%x: tensor<9x6xf32>, %%like: tensor<?x?xf32>%s) -> tensor<?x?xf32> {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%m = tensor.dim %%like, %%c0 : tensor<?x?xf32>
  %%n = tensor.dim %%like, %%c1 : tensor<?x?xf32>
  %%0 = tensor.pad %%x low[%%n, 2] high[0, %%m] {
  ^bb0(%%i: index, %%j: index):
    %s
    tensor.yield %%v : f32
  } : tensor<9x6xf32> to tensor<?x?xf32>
  return %%0 : tensor<?x?xf32>
}"""
case("pad_open", PAD % ("", "%v = arith.constant 7.0 : f32"), [x, like],
     [numpy.pad(x, ((3, 0), (2, 4)), constant_values=7)])
case("pad_open_argument", PAD % (", %v: f32", ""), [x, like, "f32:5"],
     [numpy.pad(x, ((3, 0), (2, 4)), constant_values=5)])
rows, columns = numpy.indices((12, 12)).astype(numpy.float32)
around = rows * 10 + columns
around[3:, 2:8] = x
case("pad_open_body", PAD % ("", """%t = arith.constant 10 : index
    %r = arith.muli %i, %t : index
    %s = arith.addi %r, %j : index
    %k = arith.index_cast %s : index to i32
    %v = arith.sitofp %k : i32 to f32"""), [x, like], [around])
case("pad_argument", """
func.func @f(%x: tensor<9x6xf32>, %v: f32) -> tensor<12x7xf32> {
  %0 = tensor.pad %x low[1, 0] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<9x6xf32> to tensor<12x7xf32>
  return %0 : tensor<12x7xf32>
}""", [x, "f32:5"], [numpy.pad(x, ((1, 2), (0, 1)), constant_values=5)])
