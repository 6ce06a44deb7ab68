// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<?xf32>, %h: tensor<3xbf16>) {
  // CHECK: prim.isnan %{{.*}} : tensor<?xf32> -> tensor<?xi1>
  %0 = prim.isnan %x : tensor<?xf32> -> tensor<?xi1>
  // CHECK: prim.isinf %{{.*}} : tensor<3xbf16> -> tensor<3xi1>
  %1 = prim.isinf %h : tensor<3xbf16> -> tensor<3xi1>
  // CHECK: prim.isfinite
  %2 = prim.isfinite %x : tensor<?xf32> -> tensor<?xi1>
  // CHECK: prim.signbit
  %3 = prim.signbit %x : tensor<?xf32> -> tensor<?xi1>
  // CHECK: prim.round_half_away %{{.*}} : tensor<3xbf16>
  %4 = prim.round_half_away %h : tensor<3xbf16>
  // CHECK: prim.copysign %{{.*}}, %{{.*}} : tensor<3xbf16>
  %5 = prim.copysign %h, %4 : tensor<3xbf16>
  // CHECK: prim.nextafter
  %6 = prim.nextafter %h, %4 : tensor<3xbf16>
  // CHECK: prim.fma %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xbf16>
  %7 = prim.fma %h, %4, %5 : tensor<3xbf16>
  // CHECK: prim.reduce_precision %{{.*}} exponent 5 mantissa 10 : tensor<?xf32>
  %8 = prim.reduce_precision %x exponent 5 mantissa 10 : tensor<?xf32>
  return
}

// FOLD-LABEL: func.func @constants
// FOLD-DAG: prim.constant dense<[true, false, false]> : tensor<3xi1>
// FOLD-DAG: prim.constant dense<[false, true, false]> : tensor<3xi1>
// FOLD-DAG: prim.constant dense<[false, false, true]> : tensor<3xi1>
// FOLD-DAG: prim.constant dense<-2.500000e+00> : tensor<f32>
// FOLD-DAG: prim.constant dense<5.96046448E-8> : tensor<f32>
func.func @constants() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<f32>, tensor<f32>) {
  %x = prim.constant dense<[0x7FC00000, 0xFF800000, 1.0]> : tensor<3xf32>
  %0 = prim.isnan %x : tensor<3xf32> -> tensor<3xi1>
  %1 = prim.signbit %x : tensor<3xf32> -> tensor<3xi1>
  %2 = prim.isfinite %x : tensor<3xf32> -> tensor<3xi1>
  %a = prim.constant dense<2.5> : tensor<f32>
  %b = prim.constant dense<-0.0> : tensor<f32>
  %3 = prim.copysign %a, %b : tensor<f32>
  // (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24, which a rounded product loses.
  %c = prim.constant dense<1.000244140625> : tensor<f32>
  %d = prim.constant dense<-1.00048828125> : tensor<f32>
  %4 = prim.fma %c, %c, %d : tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<f32>, tensor<f32>
}

// A format that holds every number changes nothing.
// FOLD-LABEL: func.func @precision
// FOLD: %[[R:.*]] = prim.reduce_precision
// FOLD: return %arg0, %[[R]]
func.func @precision(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %0 = prim.reduce_precision %x exponent 8 mantissa 23 : tensor<4xf16>
  %1 = prim.reduce_precision %x exponent 8 mantissa 7 : tensor<4xf16>
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}
