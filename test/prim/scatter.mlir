// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose))' | FileCheck %s --check-prefix=PARTS

// CHECK-LABEL: func.func @forms
// PARTS-LABEL: func.func @forms
func.func @forms(%x: tensor<3x8x?xf32>, %i: tensor<3x5x1xi32>, %u: tensor<3x5x1x2xf32>) -> (tensor<3x5x2x?xf32>, tensor<3x8x?xf32>) {
  // CHECK: prim.gather_slices %{{.*}}, %{{.*}} dims [1] batch_dims 1 slice_sizes [2, -1] : tensor<3x8x?xf32>, tensor<3x5x1xi32> -> tensor<3x5x2x?xf32>
  // PARTS: prim.gather %{{.*}}, %{{.*}} dim 1 batch_dims 1 : tensor<3x8x?xf32>, tensor<3x5x2xi64> -> tensor<3x5x2x?xf32>
  %0 = prim.gather_slices %x, %i dims [1] batch_dims 1 slice_sizes [2, -1] : tensor<3x8x?xf32>, tensor<3x5x1xi32> -> tensor<3x5x2x?xf32>
  // CHECK: prim.scatter add %{{.*}}, %{{.*}}, %{{.*}} dims [1] batch_dims 1 unique : tensor<3x8x?xf32>, tensor<3x5x1xi32>, tensor<3x5x1x2xf32>
  %1 = prim.scatter add %x, %i, %u dims [1] batch_dims 1 unique : tensor<3x8x?xf32>, tensor<3x5x1xi32>, tensor<3x5x1x2xf32>
  return %0, %1 : tensor<3x5x2x?xf32>, tensor<3x8x?xf32>
}
