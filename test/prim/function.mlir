// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<?x4xf32>, %h: tensor<3xbf16>) {
  // CHECK: prim.tan %{{.*}} : tensor<?x4xf32>
  %0 = prim.tan %x : tensor<?x4xf32>
  // CHECK: prim.lgamma %{{.*}} : tensor<3xbf16>
  %1 = prim.lgamma %h : tensor<3xbf16>
  // CHECK: prim.atan2 %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %2 = prim.atan2 %x, %0 : tensor<?x4xf32>
  // CHECK: prim.hypot %{{.*}}, %{{.*}} : tensor<3xbf16>
  %3 = prim.hypot %h, %1 : tensor<3xbf16>
  return
}

// Rounded once from a double; f64 is left to the program.
// FOLD-LABEL: func.func @constants
// FOLD-DAG: prim.constant dense<3.000000e+00> : tensor<2xf32>
// FOLD-DAG: prim.constant dense<-2.000000e+00> : tensor<f16>
// FOLD-DAG: prim.cbrt %{{.*}} : tensor<f64>
func.func @constants() -> (tensor<2xf32>, tensor<f16>, tensor<f64>) {
  %a = prim.constant dense<8.0> : tensor<2xf32>
  %0 = prim.log2 %a : tensor<2xf32>
  %b = prim.constant dense<-8.0> : tensor<f16>
  %1 = prim.cbrt %b : tensor<f16>
  %c = prim.constant dense<2.0> : tensor<f64>
  %2 = prim.cbrt %c : tensor<f64>
  return %0, %1, %2 : tensor<2xf32>, tensor<f16>, tensor<f64>
}
