// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<100x8xf32>, %i: tensor<2x?xi32>, %y: tensor<2x5x100x8xbf16>) {
  // CHECK: prim.gather %{{.*}}, %{{.*}} dim 0 batch_dims 0 : tensor<100x8xf32>, tensor<2x?xi32> -> tensor<2x?x8xf32>
  %0 = prim.gather %x, %i dim 0 batch_dims 0 : tensor<100x8xf32>, tensor<2x?xi32> -> tensor<2x?x8xf32>
  // CHECK: prim.gather %{{.*}}, %{{.*}} dim 2 batch_dims 1 : {{.*}} -> tensor<2x5x?x8xbf16>
  %1 = prim.gather %y, %i dim 2 batch_dims 1 : tensor<2x5x100x8xbf16>, tensor<2x?xi32> -> tensor<2x5x?x8xbf16>
  return
}
