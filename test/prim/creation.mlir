// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @forms
func.func @forms(%n: index) -> (tensor<2xf32>, tensor<?x8xf32>, tensor<?x4xi32>, tensor<2xf32>) {
  // CHECK: prim.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = prim.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: prim.full 1.000000e+00 : f32 sizes(%{{.*}}) : tensor<?x8xf32>
  %1 = prim.full 1.0 : f32 sizes (%n) : tensor<?x8xf32>
  // CHECK: prim.iota dim 0 sizes(%{{.*}}) : tensor<?x4xi32>
  %2 = prim.iota dim 0 sizes (%n) : tensor<?x4xi32>
  // CHECK: prim.constant dense_resource<blob> : tensor<2xf32>
  %3 = prim.constant dense_resource<blob> : tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<?x8xf32>, tensor<?x4xi32>, tensor<2xf32>
}

// FOLD-LABEL: func.func @full
// FOLD: prim.constant dense<7> : tensor<4xi8>
func.func @full() -> tensor<4xi8> {
  %0 = prim.full 7 : i8 : tensor<4xi8>
  return %0 : tensor<4xi8>
}

{-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-}
