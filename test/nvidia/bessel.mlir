// Bessel functions of any order by recurrences: upwards where the order is below the argument, downwards elsewhere, for
// orders and arguments of both signs, large ones and tiny ones. The expected values are mpmath's, with 80 digits.
// RUN: kiln-opt %s --nvidia-expand-bessel -o %t.mlir
// RUN: FileCheck %s --check-prefix=FORM < %t.mlir
// RUN: kiln-eval %t.mlir | FileCheck %s

// FORM-NOT: "jn"
// FORM: tile.call_extern "j0" from "" pure(%{{.*}}) : (f64) -> f64
// FORM: scf.while
// FORM-NOT: "jn"

// CHECK: j0 = f64: 0.9384698072408{{[0-9]*$}}
func.func @j0() -> f64 {
  %n = arith.constant 0 : i32
  %x = arith.constant 0.5 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j1 = f64: -0.2422684576748{{[0-9]*$}}
func.func @j1() -> f64 {
  %n = arith.constant 1 : i32
  %x = arith.constant -0.5 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j2 = f64: 0.001248958658799{{[0-9]*$}}
func.func @j2() -> f64 {
  %n = arith.constant 2 : i32
  %x = arith.constant 0.1 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j3 = f64: 2.603081790964{{[0-9]*e-09$}}
func.func @j3() -> f64 {
  %n = arith.constant 5 : i32
  %x = arith.constant 0.1 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j4 = f64: 0.2166003910391{{[0-9]*$}}
func.func @j4() -> f64 {
  %n = arith.constant 3 : i32
  %x = arith.constant 2.5 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j5 = f64: 0.2811290649613{{[0-9]*$}}
func.func @j5() -> f64 {
  %n = arith.constant 4 : i32
  %x = arith.constant 4.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j6 = f64: 0.2926017497819{{[0-9]*$}}
func.func @j6() -> f64 {
  %n = arith.constant 5 : i32
  %x = arith.constant 5.25 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j7 = f64: -0.2166003910391{{[0-9]*$}}
func.func @j7() -> f64 {
  %n = arith.constant -3 : i32
  %x = arith.constant 2.5 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j8 = f64: -0.2166003910391{{[0-9]*$}}
func.func @j8() -> f64 {
  %n = arith.constant 3 : i32
  %x = arith.constant -2.5 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j9 = f64: 0.2166003910391{{[0-9]*$}}
func.func @j9() -> f64 {
  %n = arith.constant -3 : i32
  %x = arith.constant -2.5 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j10 = f64: 0.07378188005425{{[0-9]*$}}
func.func @j10() -> f64 {
  %n = arith.constant 4 : i32
  %x = arith.constant -2.5 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j11 = f64: 0.003611742848282{{[0-9]*$}}
func.func @j11() -> f64 {
  %n = arith.constant 2 : i32
  %x = arith.constant 5.125 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j12 = f64: 2.691144394304{{[0-9]*e-40$}}
func.func @j12() -> f64 {
  %n = arith.constant 10 : i32
  %x = arith.constant 0.001 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j13 = f64: -0.1842213977205{{[0-9]*$}}
func.func @j13() -> f64 {
  %n = arith.constant 7 : i32
  %x = arith.constant 20.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j14 = f64: 0.0006818524353176{{[0-9]*$}}
func.func @j14() -> f64 {
  %n = arith.constant 50 : i32
  %x = arith.constant 40.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j15 = f64: 6.597316064155{{[0-9]*e-89$}}
func.func @j15() -> f64 {
  %n = arith.constant 100 : i32
  %x = arith.constant 10.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j16 = f64: 0.08694274930456{{[0-9]*$}}
func.func @j16() -> f64 {
  %n = arith.constant 100 : i32
  %x = arith.constant 99.5 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j17 = f64: 0.04473067294796{{[0-9]*$}}
func.func @j17() -> f64 {
  %n = arith.constant 1000 : i32
  %x = arith.constant 1000.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j18 = f64: 0.3500949401132{{[0-9]*$}}
func.func @j18() -> f64 {
  %n = arith.constant 6 : i32
  %x = arith.constant 7.75 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j19 = f64: 2.083333333333{{[0-9]*e-302$}}
func.func @j19() -> f64 {
  %n = arith.constant 3 : i32
  %x = arith.constant 1.0e-100 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j20 = f64: 8.385215885507{{[0-9]*e-97$}}
func.func @j20() -> f64 {
  %n = arith.constant 40 : i32
  %x = arith.constant 0.125 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j21 = f64: -0.0003313696661203{{[0-9]*$}}
func.func @j21() -> f64 {
  %n = arith.constant 30 : i32
  %x = arith.constant 1000000.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j22 = f64: 0{{$}}
func.func @j22() -> f64 {
  %n = arith.constant 2147483647 : i32
  %x = arith.constant 5.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j23 = f64: 0{{$}}
func.func @j23() -> f64 {
  %n = arith.constant -2147483648 : i32
  %x = arith.constant 5.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j24 = f64: 6.538288347442{{[0-9]*e-22$}}
func.func @j24() -> f64 {
  %n = arith.constant 6 : i32
  %x = arith.constant 1.0e+40 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j25 = f64: -7.952011386537{{[0-9]*e-21$}}
func.func @j25() -> f64 {
  %n = arith.constant 7 : i32
  %x = arith.constant 1.0e+40 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j26 = f64: 0{{$}}
func.func @j26() -> f64 {
  %n = arith.constant 3 : i32
  %x = arith.constant 0.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: j27 = f64: -0{{$}}
func.func @j27() -> f64 {
  %n = arith.constant 3 : i32
  %x = arith.constant -0.0 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: nan = f64: nan
func.func @nan() -> f64 {
  %n = arith.constant 3 : i32
  %x = arith.constant 0x7FF8000000000000 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: infinite = f64: -0{{$}}
func.func @infinite() -> f64 {
  %n = arith.constant 3 : i32
  %x = arith.constant 0xFFF0000000000000 : f64
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f64) -> f64
  return %r : f64
}

// CHECK: narrow = f32: -0.2340615{{[0-9]+$}}
func.func @narrow() -> f32 {
  %n = arith.constant 5 : i32
  %x = arith.constant 1.000000e+01 : f32
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f32) -> f32
  return %r : f32
}

// CHECK: least = f32: 0{{$}}
func.func @least() -> f32 {
  %n = arith.constant 2 : i32
  %x = arith.constant 0x00000001 : f32
  %r = tile.call_extern "jn" from "" pure (%n, %x) : (i32, f32) -> f32
  return %r : f32
}
