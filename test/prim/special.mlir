// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<?x4xf32>, %h: tensor<3xbf16>) {
  // CHECK: prim.erfcx %{{.*}} : tensor<3xbf16>
  %0 = prim.erfcx %h : tensor<3xbf16>
  // CHECK: prim.erfinv %{{.*}} : tensor<?x4xf32>
  %1 = prim.erfinv %x : tensor<?x4xf32>
  // CHECK: prim.ndtri %{{.*}} : tensor<3xbf16>
  %2 = prim.ndtri %h : tensor<3xbf16>
  // CHECK: prim.digamma %{{.*}} : tensor<?x4xf32>
  %3 = prim.digamma %x : tensor<?x4xf32>
  // CHECK: prim.bessel_i0 %{{.*}} : tensor<3xbf16>
  %4 = prim.bessel_i0 %h : tensor<3xbf16>
  // CHECK: prim.bessel_i0e %{{.*}} : tensor<?x4xf32>
  %5 = prim.bessel_i0e %x : tensor<?x4xf32>
  // CHECK: prim.bessel_i1 %{{.*}} : tensor<3xbf16>
  %6 = prim.bessel_i1 %h : tensor<3xbf16>
  // CHECK: prim.bessel_i1e %{{.*}} : tensor<?x4xf32>
  %7 = prim.bessel_i1e %x : tensor<?x4xf32>
  // CHECK: prim.bessel_j0 %{{.*}} : tensor<3xbf16>
  %8 = prim.bessel_j0 %h : tensor<3xbf16>
  // CHECK: prim.bessel_j1 %{{.*}} : tensor<?x4xf32>
  %9 = prim.bessel_j1 %x : tensor<?x4xf32>
  // CHECK: prim.bessel_y0 %{{.*}} : tensor<3xbf16>
  %10 = prim.bessel_y0 %h : tensor<3xbf16>
  // CHECK: prim.bessel_y1 %{{.*}} : tensor<?x4xf32>
  %11 = prim.bessel_y1 %x : tensor<?x4xf32>
  // CHECK: prim.spherical_bessel_j0 %{{.*}} : tensor<3xbf16>
  %12 = prim.spherical_bessel_j0 %h : tensor<3xbf16>
  // CHECK: prim.zeta %{{.*}}, %{{.*}} : tensor<3xbf16>
  %20 = prim.zeta %h, %h : tensor<3xbf16>
  // CHECK: prim.polygamma %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %21 = prim.polygamma %x, %x : tensor<?x4xf32>
  return
}

// Exact values fold, others do not.
// FOLD-LABEL: func.func @constants
// FOLD-DAG: prim.constant dense<1.000000e+00> : tensor<2xf32>
// FOLD-DAG: prim.constant dense<0x7F800000> : tensor<f32>
// FOLD-DAG: prim.digamma
func.func @constants() -> (tensor<2xf32>, tensor<f32>, tensor<f32>) {
  %zero = prim.constant dense<0.0> : tensor<2xf32>
  %one = prim.constant dense<1.0> : tensor<f32>
  %0 = prim.bessel_i0 %zero : tensor<2xf32>
  %1 = prim.erfinv %one : tensor<f32>
  %2 = prim.digamma %one : tensor<f32>
  return %0, %1, %2 : tensor<2xf32>, tensor<f32>, tensor<f32>
}
