// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose))' | FileCheck %s --check-prefix=PARTS

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<4x?xf32>, %b: tensor<4xi1>) -> (tensor<i32>, tensor<4x?xf32>, tensor<4xi1>, tensor<16x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>) {
  // CHECK: prim.rank : tensor<i32>
  %0 = prim.rank : tensor<i32>
  // CHECK: prim.all_reduce add %{{.*}} groups {{\[\[}}0, 1], [3, 2]] : tensor<4x?xf32>
  %1 = prim.all_reduce add %x groups [[0, 1], [3, 2]] : tensor<4x?xf32>
  // CHECK: prim.all_reduce xor %{{.*}} groups {{\[\[}}0], [1, 2]] : tensor<4xi1>
  %2 = prim.all_reduce xor %b groups [[0], [1, 2]] : tensor<4xi1>
  // CHECK: prim.all_gather %{{.*}} dim 0 groups {{\[\[}}0, 1, 2, 3]] : tensor<4x?xf32> -> tensor<16x?xf32>
  %3 = prim.all_gather %x dim 0 groups [[0, 1, 2, 3]] : tensor<4x?xf32> -> tensor<16x?xf32>
  // CHECK: prim.reduce_scatter max %{{.*}} dim 0 groups {{\[\[}}0, 1]] : tensor<4x?xf32> -> tensor<2x?xf32>
  %4 = prim.reduce_scatter max %x dim 0 groups [[0, 1]] : tensor<4x?xf32> -> tensor<2x?xf32>
  // CHECK: prim.all_to_all %{{.*}} split 0 concat 1 groups {{\[\[}}0, 1]] : tensor<4x?xf32> -> tensor<2x?xf32>
  %5 = prim.all_to_all %x split 0 concat 1 groups [[0, 1]] : tensor<4x?xf32> -> tensor<2x?xf32>
  // CHECK: prim.broadcast %{{.*}} groups {{\[\[}}1, 0]] : tensor<4x?xf32>
  %6 = prim.broadcast %x groups [[1, 0]] : tensor<4x?xf32>
  // CHECK: prim.permute %{{.*}} pairs {{\[\[}}0, 1], [0, 2]] : tensor<4x?xf32>
  %7 = prim.permute %x pairs [[0, 1], [0, 2]] : tensor<4x?xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<i32>, tensor<4x?xf32>, tensor<4xi1>, tensor<16x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>
}

// A rank alone keeps what it has.
// FOLD-LABEL: func.func @alone(
// FOLD-SAME: %[[X:.*]]: tensor<4x6xf32>
// FOLD-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @alone(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = prim.all_reduce mul %x groups [[0], [1]] : tensor<4x6xf32>
  %1 = prim.all_gather %x dim 1 groups [[0], [1]] : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = prim.reduce_scatter min %x dim 1 groups [[3]] : tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = prim.all_to_all %x split 0 concat 1 groups [[0]] : tensor<4x6xf32> -> tensor<4x6xf32>
  %4 = prim.broadcast %x groups [[0]] : tensor<4x6xf32>
  return %0, %1, %2, %3, %4 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Parts lie one after the other before and after an exchange.
// PARTS-LABEL: func.func @parts
func.func @parts(%x: tensor<4x6xf32>) -> (tensor<4x12xf32>, tensor<4x3xf32>, tensor<2x12xf32>) {
  // PARTS: prim.all_gather %{{.*}} dim 0 {{.*}} : tensor<1x4x6xf32> -> tensor<2x4x6xf32>
  // PARTS: prim.transpose
  %0 = prim.all_gather %x dim 1 groups [[0, 1]] : tensor<4x6xf32> -> tensor<4x12xf32>
  // PARTS: prim.reduce_scatter add %{{.*}} dim 0 {{.*}} : tensor<2x4x3xf32> -> tensor<1x4x3xf32>
  %1 = prim.reduce_scatter add %x dim 1 groups [[0, 1]] : tensor<4x6xf32> -> tensor<4x3xf32>
  // PARTS: prim.all_to_all %{{.*}} split 0 concat 0 {{.*}} : tensor<2x2x6xf32> -> tensor<2x2x6xf32>
  %2 = prim.all_to_all %x split 0 concat 1 groups [[0, 1]] : tensor<4x6xf32> -> tensor<2x12xf32>
  return %0, %1, %2 : tensor<4x12xf32>, tensor<4x3xf32>, tensor<2x12xf32>
}
