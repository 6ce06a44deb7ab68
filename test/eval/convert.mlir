// RUN: kiln-eval %s | FileCheck %s

// CHECK: to_int[0] = [5] i8: 127 -128 0 -1 2
// CHECK: to_int[1] = [5] i8: 127 -128 0 -2 2
// CHECK: to_int[2] = [5] i8: -1 0 0 0 2
func.func @to_int() -> (tensor<5xi8>, tensor<5xi8>, tensor<5xi8>) {
  %x = prim.constant dense<[1000.0, -1000.0, 0x7FC00000, -1.5, 2.5]> : tensor<5xf32>
  %t = prim.convert_element_type %x : tensor<5xf32> -> tensor<5xi8>
  %r = prim.convert_element_type %x round : tensor<5xf32> -> tensor<5xi8>
  %u = prim.convert_element_type %x to_unsigned : tensor<5xf32> -> tensor<5xi8>
  return %t, %r, %u : tensor<5xi8>, tensor<5xi8>, tensor<5xi8>
}
// 2^60 + 2^36 + 1 lies just above the middle between two f32: one rounding.
// CHECK: to_float[0] = [2] f32: 1.15292164e+18 -1
// CHECK: to_float[1] = [2] f64: 1.1529215733268152e+18 -1
func.func @to_float() -> (tensor<2xf32>, tensor<2xf64>) {
  %x = prim.constant dense<[1152921573326323713, -1]> : tensor<2xi64>
  %f = prim.convert_element_type %x : tensor<2xi64> -> tensor<2xf32>
  %y = prim.constant dense<[1152921573326815232, -1]> : tensor<2xi64>
  %d = prim.convert_element_type %y : tensor<2xi64> -> tensor<2xf64>
  return %f, %d : tensor<2xf32>, tensor<2xf64>
}
// CHECK: narrow = [4] f16: inf 65504 5.96046448e-08 0
func.func @narrow() -> tensor<4xf16> {
  %x = prim.constant dense<[65520.0, 65519.0, 3.0e-8, 2.98e-8]> : tensor<4xf32>
  %r = prim.convert_element_type %x : tensor<4xf32> -> tensor<4xf16>
  return %r : tensor<4xf16>
}
// CHECK: bools[0] = [3] i1: 1 0 1
// CHECK: bools[1] = [3] i32: 1 0 1
// CHECK: bools[2] = [1] i32: 255
func.func @bools() -> (tensor<3xi1>, tensor<3xi32>, tensor<1xi32>) {
  %x = prim.constant dense<[0.5, 0.0, 0x7FC00000]> : tensor<3xf32>
  %b = prim.convert_element_type %x : tensor<3xf32> -> tensor<3xi1>
  %i = prim.convert_element_type %b : tensor<3xi1> -> tensor<3xi32>
  %m = prim.constant dense<-1> : tensor<1xi8>
  %u = prim.convert_element_type %m from_unsigned : tensor<1xi8> -> tensor<1xi32>
  return %b, %i, %u : tensor<3xi1>, tensor<3xi32>, tensor<1xi32>
}
// CHECK: rescale[0] = [4] i8: -128 2 -1 127
// CHECK: rescale[1] = [2,
func.func @rescale() -> (tensor<4xi8>, tensor<2x2xi32>) {
  %x = prim.constant dense<[-1000, 3, -3, 1000]> : tensor<4xi32>
  %r = prim.rescale %x {multiplier = array<i32: 1073741824>, shift = array<i8: 31>,
    input_zp = 0 : i32, output_zp = 0 : i32, scale32} : tensor<4xi32> -> tensor<4xi8>
  %y = prim.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %c = prim.rescale %y {multiplier = array<i32: 1073741824, 1073741824>, shift = array<i8: 30, 29>,
    input_zp = 1 : i32, output_zp = 5 : i32, scale32} : tensor<2x2xi8> -> tensor<2x2xi32>
  return %r, %c : tensor<4xi8>, tensor<2x2xi32>
}
// CHECK-SAME: 2] i32: 5 7 7 11
// CHECK: table = [2] i8: 7 9
func.func @table() -> tensor<2xi8> {
  %t = prim.iota dim 0 : tensor<256xi8>
  %x = prim.constant dense<[-121, -119]> : tensor<2xi8>
  %r = prim.table %x, %t : tensor<2xi8>, tensor<256xi8> -> tensor<2xi8>
  return %r : tensor<2xi8>
}
// Zero points are signed; above a shift of 31 double rounding matters.
// CHECK: rescale_chain[0] = [2] i32: 9961472 12582912
// CHECK: rescale_chain[1] = [2] i8: -6 -4
func.func @rescale_chain() -> (tensor<2xi32>, tensor<2xi8>) {
  %x = prim.constant dense<[0, 5]> : tensor<2xi8>
  %a = prim.rescale %x rounding double {multiplier = array<i32: 1073741824>, shift = array<i8: 11>,
    input_zp = -19 : i32, output_zp = 0 : i32, scale32} : tensor<2xi8> -> tensor<2xi32>
  %b = prim.rescale %a rounding double {multiplier = array<i32: 1011511696>, shift = array<i8: 50>,
    input_zp = 0 : i32, output_zp = -15 : i32, scale32} : tensor<2xi32> -> tensor<2xi8>
  return %a, %b : tensor<2xi32>, tensor<2xi8>
}
// 1.5 * 2, -6 * 2^-127, 0.5 * NaN; 3 / 0.5, 100 / 16 (6.25, to even), 8000 / 16 (beyond 448).
// CHECK: scaling[0] = [3] f32: 3 -3.52648305e-38 nan
// CHECK: scaling[1] = [3] f8E4M3FN: 6 6 nan
func.func @scaling() -> (tensor<3xf32>, tensor<3xf8E4M3FN>) {
  %x = arith.constant dense<[1.5, -6.0, 0.5]> : tensor<3xf4E2M1FN>
  %c = arith.constant dense<[128, 0, 255]> : tensor<3xi8>
  %s = arith.bitcast %c : tensor<3xi8> to tensor<3xf8E8M0FNU>
  %a = arith.scaling_extf %x, %s : tensor<3xf4E2M1FN>, tensor<3xf8E8M0FNU> to tensor<3xf32>
  %y = arith.constant dense<[3.0, 100.0, 8000.0]> : tensor<3xf32>
  %t = arith.constant dense<[0.5, 16.0, 16.0]> : tensor<3xf32>
  %b = arith.scaling_truncf %y, %t : tensor<3xf32>, tensor<3xf32> to tensor<3xf8E4M3FN>
  return %a, %b : tensor<3xf32>, tensor<3xf8E4M3FN>
}

// Floats of at most 8 bits: the codes of what overflows, of infinity, NaN, ties and subnormal numbers.
// CHECK: small[0] = [8] i8: 127 -1 127 -1 127 126 1 0
// CHECK: small[1] = [8] i8: 124 -4 124 -4 126 95 22 20
// CHECK: small[2] = [8] i8: -128 -128 -128 -128 -128 -128 2 1
// CHECK: small[3] = [8] i8: 112 -16 112 -16 120 112 0 0
// CHECK: small[4] = [8] i8: -29 -29 -1 -1 -1 -120 118 117
// CHECK: four = [8] f4E2M1FN: 6 -6 6 -6 0 6 0.5 -0
func.func @small() -> (tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>) {
  %x = prim.constant dense<[1.0e30, -1.0e30, 0x7F800000, 0xFF800000, 0x7FC00000, 464.0, 0.0014648438, 0.0009765625]> : tensor<8xf32>
  %0 = prim.convert_element_type %x : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %1 = prim.convert_element_type %x : tensor<8xf32> -> tensor<8xf8E5M2>
  %2 = prim.convert_element_type %x : tensor<8xf32> -> tensor<8xf8E4M3FNUZ>
  %3 = prim.convert_element_type %x : tensor<8xf32> -> tensor<8xf8E3M4>
  %4 = prim.convert_element_type %x : tensor<8xf32> -> tensor<8xf8E8M0FNU>
  %a = prim.bitcast %0 : tensor<8xf8E4M3FN> -> tensor<8xi8>
  %b = prim.bitcast %1 : tensor<8xf8E5M2> -> tensor<8xi8>
  %c = prim.bitcast %2 : tensor<8xf8E4M3FNUZ> -> tensor<8xi8>
  %d = prim.bitcast %3 : tensor<8xf8E3M4> -> tensor<8xi8>
  %e = prim.bitcast %4 : tensor<8xf8E8M0FNU> -> tensor<8xi8>
  return %a, %b, %c, %d, %e : tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>
}
func.func @four() -> tensor<8xf4E2M1FN> {
  %x = prim.constant dense<[1.0e30, -1.0e30, 0x7F800000, 0xFF800000, 0x7FC00000, 5.0625, 0.375, -0.25]> : tensor<8xf32>
  %0 = prim.convert_element_type %x : tensor<8xf32> -> tensor<8xf4E2M1FN>
  return %0 : tensor<8xf4E2M1FN>
}
