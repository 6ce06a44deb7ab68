// RUN: kiln-eval %s | FileCheck %s
// Floats taken apart and put together.

// CHECK: classes[0] = [4] i1: 1 0 0 0
// CHECK: classes[1] = [4] i1: 0 1 0 0
// CHECK: classes[2] = [4] i1: 0 0 1 1
// CHECK: classes[3] = [4] i1: 1 0 1 0
func.func @classes() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %x = prim.constant dense<[0xFFC00000, 0x7F800000, -0.0, 2.0]> : tensor<4xf32>
  %a = prim.isnan %x : tensor<4xf32> -> tensor<4xi1>
  %b = prim.isinf %x : tensor<4xf32> -> tensor<4xi1>
  %c = prim.isfinite %x : tensor<4xf32> -> tensor<4xi1>
  %d = prim.signbit %x : tensor<4xf32> -> tensor<4xi1>
  return %a, %b, %c, %d : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
// CHECK: round_half_away = [5] f32: 1 -1 3 0 -0
func.func @round_half_away() -> tensor<5xf32> {
  %x = prim.constant dense<[0.5, -0.5, 2.5, 0.49999997, -0.25]> : tensor<5xf32>
  %r = prim.round_half_away %x : tensor<5xf32>
  return %r : tensor<5xf32>
}
// CHECK: copysign = [3] f32: -1 2 -inf
func.func @copysign() -> tensor<3xf32> {
  %x = prim.constant dense<[1.0, -2.0, 0x7F800000]> : tensor<3xf32>
  %y = prim.constant dense<[-0.0, 3.0, -1.0]> : tensor<3xf32>
  %r = prim.copysign %x, %y : tensor<3xf32>
  return %r : tensor<3xf32>
}
// CHECK: nextafter[0] = [5] f32: 1.00000012 1.40129846e-45 -1.40129846e-45 inf 0
// CHECK: nextafter[1] = [2] bf16: 1.0078125 0.99609375
func.func @nextafter() -> (tensor<5xf32>, tensor<2xbf16>) {
  %x = prim.constant dense<[1.0, 0.0, -0.0, 3.40282347e+38, -0.0]> : tensor<5xf32>
  %y = prim.constant dense<[2.0, 1.0, -1.0, 0x7F800000, 0.0]> : tensor<5xf32>
  %r = prim.nextafter %x, %y : tensor<5xf32>
  %a = prim.constant dense<1.0> : tensor<2xbf16>
  %b = prim.constant dense<[2.0, 0.0]> : tensor<2xbf16>
  %s = prim.nextafter %a, %b : tensor<2xbf16>
  return %r, %s : tensor<5xf32>, tensor<2xbf16>
}
// The product is not rounded.
// CHECK: fma = [1] f32: 5.96046448e-08
func.func @fma() -> tensor<1xf32> {
  %x = prim.constant dense<1.000244140625> : tensor<1xf32>
  %z = prim.constant dense<-1.00048828125> : tensor<1xf32>
  %r = prim.fma %x, %x, %z : tensor<1xf32>
  return %r : tensor<1xf32>
}
// As f16, as f8E5M2, and as bf16.
// CHECK: reduce_precision[0] = [5] f32: 1 1.00097656 inf 0 -6.10351562e-05
// CHECK: reduce_precision[1] = [5] f32: 1 1 inf 0 -6.10351562e-05
// CHECK: reduce_precision[2] = [5] f32: 1 1 99840 1.00135803e-05 -6.10351562e-05
func.func @reduce_precision() -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %x = prim.constant dense<[1.00048828125, 1.0006, 100000.0, 1.0e-5, -6.1035e-05]> : tensor<5xf32>
  %a = prim.reduce_precision %x exponent 5 mantissa 10 : tensor<5xf32>
  %b = prim.reduce_precision %x exponent 5 mantissa 2 : tensor<5xf32>
  %c = prim.reduce_precision %x exponent 8 mantissa 7 : tensor<5xf32>
  return %a, %b, %c : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
// CHECK: bitcast = [2] i32: 1065353216 -1073741824
func.func @bitcast() -> tensor<2xi32> {
  %x = prim.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %r = prim.bitcast %x : tensor<2xf32> -> tensor<2xi32>
  return %r : tensor<2xi32>
}
// The lowest bits come first.
// CHECK: bitcast_convert[0] = [1, 4] i8: 4 3 2 1
// CHECK: bitcast_convert[1] = [1] i32: 16909060
func.func @bitcast_convert() -> (tensor<1x4xi8>, tensor<1xi32>) {
  %x = prim.constant dense<0x01020304> : tensor<1xi32>
  %r = prim.bitcast_convert %x : tensor<1xi32> -> tensor<1x4xi8>
  %s = prim.bitcast_convert %r : tensor<1x4xi8> -> tensor<1xi32>
  return %r, %s : tensor<1x4xi8>, tensor<1xi32>
}
// CHECK: unsigned[0] = [2] i8: 127 1
// CHECK: unsigned[1] = [2] i8: 1 0
// CHECK: unsigned[2] = [2] i8: 1 0
// CHECK: unsigned[3] = [2] i8: -1 3
// CHECK: unsigned[4] = [2] i8: 2 3
// CHECK: unsigned[5] = [2] i1: 0 1
func.func @unsigned() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi1>) {
  %x = prim.constant dense<[-1, 3]> : tensor<2xi8>
  %y = prim.constant dense<[2, 3]> : tensor<2xi8>
  %a = prim.div %x, %y unsigned : tensor<2xi8>
  %b = prim.remainder %x, %y unsigned : tensor<2xi8>
  %c = prim.fmod %x, %y unsigned : tensor<2xi8>
  %d = prim.maximum %x, %y unsigned : tensor<2xi8>
  %e = prim.minimum %x, %y unsigned : tensor<2xi8>
  %f = prim.le %x, %y unsigned : tensor<2xi8> -> tensor<2xi1>
  return %a, %b, %c, %d, %e, %f : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi1>
}
// CHECK: gcd = [4] i8: 6 0 5 -128
func.func @gcd() -> tensor<4xi8> {
  %x = prim.constant dense<[-12, 0, 0, -128]> : tensor<4xi8>
  %y = prim.constant dense<[18, 0, -5, 0]> : tensor<4xi8>
  %r = prim.gcd %x, %y : tensor<4xi8>
  return %r : tensor<4xi8>
}
// CHECK: population_count = [3] i16: 16 1 0
func.func @population_count() -> tensor<3xi16> {
  %x = prim.constant dense<[-1, 4, 0]> : tensor<3xi16>
  %r = prim.population_count %x : tensor<3xi16>
  return %r : tensor<3xi16>
}

// The sign changes and nothing else: NaNs keep their payloads, also those that signal.
// CHECK: signs[0] = [4] i16: 32261 31745 -32768 -1024
// CHECK-NEXT: signs[1] = [4] i16: 32261 31745 0 31744
// CHECK-NEXT: signs[2] = [2] i32: 2143289349 -8388607
func.func @signs() -> (tensor<4xi16>, tensor<4xi16>, tensor<2xi32>) {
  %x = prim.constant dense<[0xFE05, 0xFC01, 0.0, 0x7C00]> : tensor<4xf16>
  %y = prim.constant dense<[0xFFC00005, 0x7F800001]> : tensor<2xf32>
  %n = prim.neg %x : tensor<4xf16>
  %a = prim.abs %x : tensor<4xf16>
  %m = prim.neg %y : tensor<2xf32>
  %0 = prim.bitcast %n : tensor<4xf16> -> tensor<4xi16>
  %1 = prim.bitcast %a : tensor<4xf16> -> tensor<4xi16>
  %2 = prim.bitcast %m : tensor<2xf32> -> tensor<2xi32>
  return %0, %1, %2 : tensor<4xi16>, tensor<4xi16>, tensor<2xi32>
}
