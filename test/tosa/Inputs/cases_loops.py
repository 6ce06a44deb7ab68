# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose ends depend on data."""
import numpy

from cases_linalg import CASES, case, floats  # pylint: disable=unused-import


def collatz(number):
    steps = 0
    while number != 1:
        number, steps = (number // 2 if number % 2 == 0 else 3 * number + 1), steps + 1
    return steps


for start in (1, 27):
    case("collatz_%d" % start, """
func.func @f(%n: tensor<i32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %x = tensor.extract %n[] : tensor<i32>
  %r:2 = scf.while (%a = %x, %s = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %a, %one : i32
    scf.condition(%more) %a, %s : i32, i32
  } do {
  ^bb0(%a: i32, %s: i32):
    %odd = arith.remsi %a, %two : i32
    %half = arith.divsi %a, %two : i32
    %p = arith.muli %a, %three : i32
    %q = arith.addi %p, %one : i32
    %even = arith.cmpi eq, %odd, %zero : i32
    %next = arith.select %even, %half, %q : i32
    %t = arith.addi %s, %one : i32
    scf.yield %next, %t : i32, i32
  }
  %t = tensor.from_elements %r#1 : tensor<i32>
  return %t : tensor<i32>
}""", [numpy.array(start, numpy.int32)], [numpy.array(collatz(start), numpy.int32)])

x = floats(6, 5)
for count in (0, 4):
    case("rows_%d" % count, """
func.func @f(%x: tensor<6x5xf32>, %n: tensor<i64>) -> tensor<6x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %m : i64 to index
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %x) -> (tensor<6x5xf32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 5] [1, 1] : tensor<6x5xf32> to tensor<5xf32>
    %e = tensor.empty() : tensor<5xf32>
    %sq = linalg.mul ins(%row, %row : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
    %b = tensor.insert_slice %sq into %a[%i, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<6x5xf32>
    scf.yield %b : tensor<6x5xf32>
  }
  return %r : tensor<6x5xf32>
}""", [x, numpy.array(count, numpy.int64)], [numpy.concatenate([x[:count] ** 2, x[count:]])])

case("long_for", """
func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 20000 : index
  %half = arith.constant dense<0.5> : tensor<3xf64>
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %x) -> (tensor<3xf64>) {
    %m = arith.mulf %a, %half : tensor<3xf64>
    %b = arith.addf %m, %x : tensor<3xf64>
    scf.yield %b : tensor<3xf64>
  }
  return %r : tensor<3xf64>
}""", [numpy.array([1.0, -2.0, 3.0])], [numpy.array([2.0, -4.0, 6.0])])

case("buffer", """
func.func @f(%n: tensor<i32>, %x: memref<4xf32>) -> memref<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %y = memref.alloc() : memref<4xf32>
  linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  %m = tensor.extract %n[] : tensor<i32>
  %r = scf.while (%a = %m) : (i32) -> i32 {
    %more = arith.cmpi sgt, %a, %zero : i32
    scf.condition(%more) %a : i32
  } do {
  ^bb0(%a: i32):
    linalg.add ins(%y, %x : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
    %b = arith.subi %a, %one : i32
    scf.yield %b : i32
  }
  return %y : memref<4xf32>
}""", [numpy.array(3, numpy.int32), x[0, :4].copy()], [4 * x[0, :4]])

case("tosa_while", """
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = tosa.while_loop (%a = %x) : (tensor<3xf32>) -> tensor<3xf32> {
    %limit = "tosa.const"() {values = dense<100.0> : tensor<1xf32>} : () -> tensor<1xf32>
    %sum = tosa.reduce_sum %a {axis = 0 : i32} : (tensor<3xf32>) -> tensor<1xf32>
    %more = tosa.greater %limit, %sum : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %shape = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %m = tosa.reshape %more, %shape : (tensor<1xi1>, !tosa.shape<0>) -> tensor<i1>
    tosa.yield %m : tensor<i1>
  } do {
  ^bb0(%a: tensor<3xf32>):
    %b = tosa.add %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    tosa.yield %b : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}""", [numpy.array([1.0, 2.0, 3.0], numpy.float32)], [numpy.array([32.0, 64.0, 96.0], numpy.float32)])

# Neither loop is long, but both together are.
y = numpy.arange(64 * 128, dtype=numpy.float64).reshape(64, 128)
case("nested_for", """
func.func @f(%x: tensor<64x128xf64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 64 : index
  %columns = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %rows step %c1 iter_args(%a = %zero) -> (f64) {
    %s = scf.for %j = %c0 to %columns step %c1 iter_args(%b = %a) -> (f64) {
      %e = tensor.extract %x[%i, %j] : tensor<64x128xf64>
      %h = arith.addf %e, %e : f64
      %p = arith.mulf %h, %h : f64
      %t = arith.addf %b, %p : f64
      scf.yield %t : f64
    }
    scf.yield %s : f64
  }
  %t = tensor.from_elements %r : tensor<f64>
  return %t : tensor<f64>
}""", [y], [numpy.array((4 * y * y).sum())])
