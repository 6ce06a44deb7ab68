// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparators that are no orders of keys are asked about each pair of elements; equal elements keep their order.
// RUN: kiln-run %s --target=reference --entry=main | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=main --no-fallback | FileCheck %s
// RUN: not kiln-compile %s --target=cpu --entry=long -o %t 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not kiln-compile %s --target=cpu --entry=open -o %t 2>&1 | FileCheck %s --check-prefix=OPEN

// The remainders of 3 from the smallest, among equal ones the larger number, as Python's sorted says with the key
// (x % 3, -x); then their places. Never less: as it was. By the sum of two operands, along dimension 0, downwards.
// CHECK: 7xi32: 9, 6, 3, 7, 4, 8, 5
// CHECK: 7xi32: 4, 3, 2, 0, 5, 6, 1
// CHECK: 4xf32: 3, 1, 2, 1
// CHECK: 3x2xf32: 3, 1, 2, 2, 1, 3
// CHECK: 3x2xf32: 30, 50, 10, 0, 10, -5
func.func @main() -> (tensor<7xi32>, tensor<7xi32>, tensor<4xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %x = stablehlo.constant dense<[7, 5, 3, 6, 9, 4, 8]> : tensor<7xi32>
  %n = stablehlo.iota dim = 0 : tensor<7xi32>
  %r:2 = "stablehlo.sort"(%x, %n) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.remainder %a, %three : tensor<i32>
    %q = stablehlo.remainder %b, %three : tensor<i32>
    %less = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %more = stablehlo.compare GT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %same = stablehlo.not %more : tensor<i1>
    %rest = stablehlo.and %same, %tie : tensor<i1>
    %any = stablehlo.or %less, %rest : tensor<i1>
    stablehlo.return %any : tensor<i1>
  }) : (tensor<7xi32>, tensor<7xi32>) -> (tensor<7xi32>, tensor<7xi32>)
  %y = stablehlo.constant dense<[3.0, 1.0, 2.0, 1.0]> : tensor<4xf32>
  %same = "stablehlo.sort"(%y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %u = stablehlo.constant dense<[[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]> : tensor<3x2xf32>
  %v = stablehlo.constant dense<[[10.0, -5.0], [10.0, 0.0], [30.0, 50.0]]> : tensor<3x2xf32>
  %s:2 = "stablehlo.sort"(%u, %v) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.add %a, %c : tensor<f32>
    %q = stablehlo.add %b, %d : tensor<f32>
    %le = stablehlo.compare LE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %gt = stablehlo.not %le : tensor<i1>
    stablehlo.return %gt : tensor<i1>
  }) : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return %r#0, %r#1, %same, %s#0, %s#1 : tensor<7xi32>, tensor<7xi32>, tensor<4xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// LONG: sort-pairs.mlir:[[@LINE+2]]:{{[0-9]+}}: error: unsupported: stablehlo.sort has a comparator that is no order of keys, for pairs of elements of more than 256 MiB
func.func @long(%x: tensor<9000xf32>) -> tensor<9000xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %le = stablehlo.compare LE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %gt = stablehlo.not %le : tensor<i1>
    stablehlo.return %gt : tensor<i1>
  }) : (tensor<9000xf32>) -> tensor<9000xf32>
  return %0 : tensor<9000xf32>
}

// OPEN: sort-pairs.mlir:[[@LINE+2]]:{{[0-9]+}}: error: unsupported: stablehlo.sort has a comparator that is no order of keys, on a size that is not known
func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %le = stablehlo.compare LE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %gt = stablehlo.not %le : tensor<i1>
    stablehlo.return %gt : tensor<i1>
  }) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
