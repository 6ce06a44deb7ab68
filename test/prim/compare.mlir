// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @where
func.func @where(%c: tensor<?xi1>, %a: tensor<?xf32>) -> (tensor<?xi1>, tensor<?xf32>) {
  // CHECK: prim.lt %{{.*}} : tensor<?xf32> -> tensor<?xi1>
  %0 = prim.lt %a, %a : tensor<?xf32> -> tensor<?xi1>
  %b = prim.neg %a : tensor<?xf32>
  // CHECK: prim.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi1>, tensor<?xf32>
  %1 = prim.where %c, %a, %b : tensor<?xi1>, tensor<?xf32>
  return %0, %1 : tensor<?xi1>, tensor<?xf32>
}

// NaN is unordered: only `ne` holds.
// FOLD-LABEL: func.func @constants
// FOLD-DAG: %[[YES:.*]] = prim.constant dense<true>
// FOLD-DAG: %[[NO:.*]] = prim.constant dense<false>
// FOLD-DAG: %[[LT:.*]] = prim.constant dense<[false, true]>
// FOLD: return %[[YES]], %[[NO]], %[[LT]], %arg0
func.func @constants(%x: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xf32>) {
  %nan = prim.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %two = prim.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = prim.ne %nan, %two : tensor<2xf32> -> tensor<2xi1>
  %1 = prim.ge %nan, %two : tensor<2xf32> -> tensor<2xi1>
  %2 = prim.lt %nan, %two : tensor<2xf32> -> tensor<2xi1>
  %t = prim.constant dense<true> : tensor<2xi1>
  %3 = prim.where %t, %x, %nan : tensor<2xi1>, tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xf32>
}
