// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dimension gets a smaller size: a number that is known, or one that is checked when the program runs.
// RUN: for t in cpu reference; do kiln-run %s --target=$t --entry=known || exit 1; done | FileCheck %s --check-prefix=KNOWN
// RUN: for t in cpu reference; do for n in 0 2 4; do kiln-run %s --target=$t --entry=read --arg=i32:$n || exit 1; done; done | FileCheck %s --check-prefix=READ
// RUN: for t in cpu reference; do for n in 5 -1 2147483647; do not kiln-run %s --target=$t --entry=read --arg=i32:$n || exit 1; done; done 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not kiln-compile %s --target=cpu --entry=beyond -o %t 2>&1 | FileCheck %s --check-prefix=BEYOND

// KNOWN-COUNT-2: 2x2xi32: 1, 2, 4, 5
func.func @known() -> tensor<2x?xi32> {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x?xi32>
  return %r : tensor<2x?xi32>
}

// READ: 0xi32
// READ: 2xi32: 2, 4
// READ: 4xi32: 2, 4, 6, 8
// READ: 0xi32
// READ: 2xi32: 2, 4
// READ: 4xi32: 2, 4, 6, 8
// OUTSIDE-COUNT-6: stablehlo.set_dimension_size has a size outside of the dimension
func.func @read(%n: tensor<i32>) -> tensor<?xi32> {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32>
  %s = stablehlo.add %r, %r : tensor<?xi32>
  return %s : tensor<?xi32>
}

// BEYOND: error: unsupported: stablehlo.set_dimension_size has the size 5, outside of the dimension
func.func @beyond(%x: tensor<4xi32>) -> tensor<?xi32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}
