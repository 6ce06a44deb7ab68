// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks form a grid as it is, or one dimension, in which an instance finds its place.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

#one = #simt.layout<rank = 1, register = [], lane = [], warp = []>

// The last of a row of a grid as it is: it takes no division.
// first: a: i32 = [9] * 3
// first: scalars = [3, 1, 5, 3, 4]
// first: block = 4
// first: width = 5
// first: expect a == [4, 0, 0] and count("arith.divui") == 0
tile.kernel @first(%a: !tile.view<3xi32>) attributes {warps = 1 : i64} {
  %x, %y, %z = tile.program_id : index, index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = arith.index_cast %x : index to i32
  %j = arith.index_cast %y : index to i32
  %k = arith.index_cast %z : index to i32
  %ti = tile.splat %i : tensor<1xi32, #one>
  %tj = tile.splat %j : tensor<1xi32, #one>
  %tk = tile.splat %k : tensor<1xi32, #one>
  tile.store %ti, %a[%c0] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.store %tj, %a[%c1] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.store %tk, %a[%c2] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.return
}

// The last of the second layer.
// last: a: i32 = [9] * 3
// last: scalars = [3, 1, 5, 3, 4]
// last: block = 29
// last: expect a == [4, 2, 1]
tile.kernel @last(%a: !tile.view<3xi32>) attributes {warps = 1 : i64} {
  %x, %y, %z = tile.program_id : index, index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = arith.index_cast %x : index to i32
  %j = arith.index_cast %y : index to i32
  %k = arith.index_cast %z : index to i32
  %ti = tile.splat %i : tensor<1xi32, #one>
  %tj = tile.splat %j : tensor<1xi32, #one>
  %tk = tile.splat %k : tensor<1xi32, #one>
  tile.store %ti, %a[%c0] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.store %tj, %a[%c1] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.store %tk, %a[%c2] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.return
}

// One column.
// column: a: i32 = [9] * 3
// column: scalars = [3, 1, 1, 3, 1]
// column: block = 2
// column: expect a == [0, 2, 0]
tile.kernel @column(%a: !tile.view<3xi32>) attributes {warps = 1 : i64} {
  %x, %y, %z = tile.program_id : index, index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = arith.index_cast %x : index to i32
  %j = arith.index_cast %y : index to i32
  %k = arith.index_cast %z : index to i32
  %ti = tile.splat %i : tensor<1xi32, #one>
  %tj = tile.splat %j : tensor<1xi32, #one>
  %tk = tile.splat %k : tensor<1xi32, #one>
  tile.store %ti, %a[%c0] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.store %tj, %a[%c1] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.store %tk, %a[%c2] : tensor<1xi32, #one>, !tile.view<3xi32>
  tile.return
}
