// Both sides of a comparator may share constants, as after common subexpression elimination.
// RUN: kiln-compile %s --frontend=stablehlo --target=cpu --emit=prim -o - | FileCheck %s
// CHECK: prim.sort {{.*}}total_order
func.func @main(%x: tensor<8x12xf32>, %number: tensor<8x12xi32>) -> (tensor<8x12xf32>, tensor<8x12xi32>) {
  %0:2 = "stablehlo.sort"(%x, %number) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %isZero = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %left = stablehlo.select %isZero, %zero, %a : tensor<i1>, tensor<f32>
    %isZeroToo = stablehlo.compare EQ, %b, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %right = stablehlo.select %isZeroToo, %zero, %b : tensor<i1>, tensor<f32>
    %less = stablehlo.compare LT, %left, %right, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<8x12xf32>, tensor<8x12xi32>) -> (tensor<8x12xf32>, tensor<8x12xi32>)
  return %0#0, %0#1 : tensor<8x12xf32>, tensor<8x12xi32>
}

// A comparator that is no order of keys is asked about each pair. One that never holds leaves the order as it is.
// RUN: kiln-compile %S/Inputs/sort-by-constant.mlir --frontend=stablehlo --target=cpu --emit=prim -o - | FileCheck %s --check-prefix=NONE
// NONE: prim.sort {{.*}}tensor<8xi64>, tensor<8xf32>
