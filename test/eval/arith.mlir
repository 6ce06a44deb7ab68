// RUN: kiln-eval %s | FileCheck %s
// Lanes whose value is undefined are poison, and nothing traps.

// CHECK: divisions[0] = [3] i32: poison -2 poison
// CHECK: divisions[1] = [3] i32: poison -3 poison
// CHECK: divisions[2] = [3] i32: poison 1 0
// CHECK: divisions[3] = [3] i32: poison 2147483645 0
func.func @divisions() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %x = arith.constant dense<[1, -5, -2147483648]> : tensor<3xi32>
  %y = arith.constant dense<[0, 2, -1]> : tensor<3xi32>
  %d = arith.divsi %x, %y : tensor<3xi32>
  %f = arith.floordivsi %x, %y : tensor<3xi32>
  %m = arith.constant dense<[0, -6, 1]> : tensor<3xi32>
  %r = arith.remsi %x, %m : tensor<3xi32>
  %u = arith.divui %x, %y : tensor<3xi32>
  %z = arith.constant dense<0> : tensor<3xi32>
  %c = arith.addi %r, %z : tensor<3xi32>
  %e = arith.constant dense<[1, -6, 0]> : tensor<3xi32>
  %s = arith.subi %c, %e : tensor<3xi32>
  return %d, %f, %s, %u : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}
// CHECK: flags[0] = [2] i8: -128 poison
// CHECK: flags[1] = [2] i8: poison 3
// CHECK: flags[2] = [2] i8: -127 3
func.func @flags() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) {
  %x = arith.constant dense<[127, -1]> : tensor<2xi8>
  %y = arith.constant dense<[1, 1]> : tensor<2xi8>
  %u = arith.addi %x, %y overflow<nuw> : tensor<2xi8>
  %z = arith.constant dense<[2, 4]> : tensor<2xi8>
  %s = arith.addi %x, %z overflow<nsw> : tensor<2xi8>
  %w = arith.addi %x, %z : tensor<2xi8>
  return %u, %s, %w : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>
}
// CHECK: shifts = [3] i16: 4 poison -32768
func.func @shifts() -> tensor<3xi16> {
  %x = arith.constant dense<1> : tensor<3xi16>
  %y = arith.constant dense<[2, 16, 15]> : tensor<3xi16>
  %r = arith.shli %x, %y : tensor<3xi16>
  return %r : tensor<3xi16>
}
// Selecting the good lane removes the poison.
// CHECK: select = [3] i16: 4 0 -32768
func.func @select() -> tensor<3xi16> {
  %x = arith.constant dense<1> : tensor<3xi16>
  %y = arith.constant dense<[2, 16, 15]> : tensor<3xi16>
  %w = arith.constant dense<16> : tensor<3xi16>
  %z = arith.constant dense<0> : tensor<3xi16>
  %r = arith.shli %x, %y : tensor<3xi16>
  %ok = arith.cmpi ult, %y, %w : tensor<3xi16>
  %s = arith.select %ok, %r, %z : tensor<3xi1>, tensor<3xi16>
  return %s : tensor<3xi16>
}
// CHECK: casts[0] = [3] i8: 3 poison poison
// CHECK: casts[1] = [2] i32: -1 0
// CHECK: casts[2] = [2] i32: 1 0
// CHECK: casts[3] = [2] bf16: 1.0078125 1.015625
func.func @casts() -> (tensor<3xi8>, tensor<2xi32>, tensor<2xi32>, tensor<2xbf16>) {
  %x = arith.constant dense<[3.9, 128.0, 0x7FC00000]> : tensor<3xf32>
  %i = arith.fptosi %x : tensor<3xf32> to tensor<3xi8>
  %b = arith.constant dense<[true, false]> : tensor<2xi1>
  %s = arith.extsi %b : tensor<2xi1> to tensor<2xi32>
  %u = arith.extui %b : tensor<2xi1> to tensor<2xi32>
  %f = arith.constant dense<[1.0078125, 1.01171875]> : tensor<2xf32>
  %h = arith.truncf %f : tensor<2xf32> to tensor<2xbf16>
  return %i, %s, %u, %h : tensor<3xi8>, tensor<2xi32>, tensor<2xi32>, tensor<2xbf16>
}
// Fused: the product is not rounded.
// CHECK: fma[0] = [1] f32: -5.68434189e-14
// CHECK: fma[1] = [1] f16: 1
func.func @fma() -> (tensor<1xf32>, tensor<1xf16>) {
  %a = arith.constant dense<1.00000024> : tensor<1xf32>
  %b = arith.constant dense<0.99999976> : tensor<1xf32>
  %c = arith.constant dense<-1.0> : tensor<1xf32>
  %r = math.fma %a, %b, %c : tensor<1xf32>
  %x = arith.constant dense<1.0> : tensor<1xf16>
  %y = arith.constant dense<5.9604645e-08> : tensor<1xf16>
  %h = math.fma %x, %x, %y : tensor<1xf16>
  return %r, %h : tensor<1xf32>, tensor<1xf16>
}
// CHECK: loops = i32: 10
func.func @loops() -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %s = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  %w = scf.while (%x = %c0) : (i32) -> i32 {
    %go = arith.cmpi slt, %x, %c5 : i32
    scf.condition(%go) %x : i32
  } do {
  ^bb0(%x: i32):
    %n = arith.addi %x, %c1 : i32
    scf.yield %n : i32
  }
  %same = arith.cmpi eq, %w, %c5 : i32
  %r = scf.if %same -> (i32) {
    scf.yield %s : i32
  } else {
    scf.yield %w : i32
  }
  return %r : i32
}
