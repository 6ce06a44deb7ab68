// RUN: kiln-eval %s | FileCheck %s
// Operations on tiles, without memory.

// CHECK: shapes[0] = [2, 2] i32: 5 5 5 5
// CHECK: shapes[1] = [2, 3] i32: 0 1 2 0 1 2
// CHECK: shapes[2] = [3, 2] i32: 0 0 1 1 2 2
// CHECK: shapes[3] = [2, 3] i32: 0 0 0 1 1 1
// CHECK: shapes[4] = [4] i32: 0 1 0 1
// CHECK: shapes[5] = [1, 2] i32: 2 3
func.func @shapes() -> (tensor<2x2xi32>, tensor<2x3xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<4xi32>, tensor<1x2xi32>) {
  %five = arith.constant 5 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.splat %five : tensor<2x2xi32>
  %i = tile.iota 1 : tensor<2x3xi32>
  %t = tile.transpose %i [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %l = tile.iota 0 : tensor<2xi32>
  %e = tile.expand_dims %l axis 1 : tensor<2xi32> -> tensor<2x1xi32>
  %b = tile.broadcast %e : tensor<2x1xi32> -> tensor<2x3xi32>
  %c = tile.cat %l, %l axis 0 : tensor<2xi32>, tensor<2xi32> -> tensor<4xi32>
  %q = tile.iota 0 : tensor<4xi32>
  %r = tile.reshape %q : tensor<4xi32> -> tensor<2x2xi32>
  %x = tile.extract %r[%c1, %c0] : tensor<2x2xi32> -> tensor<1x2xi32>
  return %s, %i, %t, %b, %c, %x : tensor<2x2xi32>, tensor<2x3xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<4xi32>, tensor<1x2xi32>
}
// CHECK: dot[0] = [1, 1] f32: 13
// CHECK: dot[1] = [1, 1] i32: 1275
// The sum 2049 lies between two numbers of f16; factors have a type each.
// CHECK: dot[2] = [1, 1] f16: 2048
// CHECK: dot[3] = [1, 1] f32: 2.25
func.func @dot() -> (tensor<1x1xf32>, tensor<1x1xi32>, tensor<1x1xf16>, tensor<1x1xf32>) {
  %a = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xbf16>
  %b = arith.constant dense<[[3.0], [4.0]]> : tensor<2x1xbf16>
  %c = arith.constant dense<2.0> : tensor<1x1xf32>
  %d = tile.dot %a, %b, %c : tensor<1x2xbf16>, tensor<2x1xbf16>, tensor<1x1xf32>
  %x = arith.constant dense<-1> : tensor<1x1xi8>
  %y = arith.constant dense<5> : tensor<1x1xi8>
  %z = arith.constant dense<0> : tensor<1x1xi32>
  %u = tile.dot %x, %y, %z lhs_unsigned : tensor<1x1xi8>, tensor<1x1xi8>, tensor<1x1xi32>
  %h = arith.constant dense<[[2048.0, 1.0]]> : tensor<1x2xf16>
  %k = arith.constant dense<[[1.0], [1.0]]> : tensor<2x1xf16>
  %n = arith.constant dense<0.0> : tensor<1x1xf16>
  %v = tile.dot %h, %k, %n : tensor<1x2xf16>, tensor<2x1xf16>, tensor<1x1xf16>
  %p = arith.constant dense<1.5> : tensor<1x1xf8E4M3FN>
  %q = arith.constant dense<1.5> : tensor<1x1xf8E5M2>
  %o = arith.constant dense<0.0> : tensor<1x1xf32>
  %w = tile.dot %p, %q, %o {max_imprecise_acc = 8 : i64} : tensor<1x1xf8E4M3FN>, tensor<1x1xf8E5M2>, tensor<1x1xf32>
  return %d, %u, %v, %w : tensor<1x1xf32>, tensor<1x1xi32>, tensor<1x1xf16>, tensor<1x1xf32>
}
// Two e2m1 (1.5 and -6) in a byte times 2^1, against e4m3 in bytes (1 and 2) times 2^-1; then bf16 by e2m3.
// CHECK: dot_scaled[0] = [1, 1] f32: -9.5
// CHECK: dot_scaled[1] = [1, 1] f32: 15
func.func @dot_scaled() -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %a = arith.constant dense<[[0xf3]]> : tensor<1x1xi8>
  %sa = arith.constant dense<[[0x80]]> : tensor<1x1xi8>
  %b = arith.constant dense<[[0x38], [0x40]]> : tensor<2x1xi8>
  %sb = arith.constant dense<0.5> : tensor<1x2xf8E4M3FN>
  %c = arith.constant dense<1.0> : tensor<1x1xf32>
  %d = tile.dot_scaled %a e2m1 scale %sa, %b e4m3 scale %sb, %c
    : tensor<1x1xi8> scale tensor<1x1xi8>, tensor<2x1xi8> scale tensor<1x2xf8E4M3FN>, tensor<1x1xf32>
  %x = arith.constant dense<2.0> : tensor<1x1xbf16>
  %y = arith.constant dense<0x1e> : tensor<1x1xi8>
  %e = tile.dot_scaled %x bf16, %y e2m3, %c : tensor<1x1xbf16>, tensor<1x1xi8>, tensor<1x1xf32>
  return %d, %e : tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK: reduce[0] = [2] f32: 6 15
// CHECK: reduce[1] = [3] f32: 4 5 6
// CHECK: reduce[2] = [2] f32: 3 6
// CHECK: reduce[3] = [2] i32: 2 2
// CHECK: reduce[4] = [2] f32: 10 41
func.func @reduce() -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) {
  %t = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %s = tile.reduce %t axis 1 : tensor<2x3xf32> -> tensor<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %m = tile.reduce %t axis 0 : tensor<2x3xf32> -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %i = tile.iota 1 : tensor<2x3xi32>
  // The largest value and its index.
  %v, %k = tile.reduce %t, %i axis 1 : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<2xf32>, tensor<2xi32> {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %g = arith.cmpf oge, %a, %b : f32
    %x = arith.select %g, %a, %b : f32
    %y = arith.select %g, %ai, %bi : i32
    tile.yield %x, %y : f32, i32
  }
  // A constant in the region, and a left fold: (1 * 2 + 2) * 2 + 3 ...
  %o = tile.reduce %t axis 1 ordered : tensor<2x3xf32> -> tensor<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %two = arith.constant 2.0 : f32
    %d = arith.mulf %a, %two : f32
    %c = arith.addf %d, %b : f32
    tile.yield %c : f32
  }
  %half = arith.constant dense<[1.0, -9.0]> : tensor<2xf32>
  %r = arith.subf %o, %half : tensor<2xf32>
  return %s, %m, %v, %k, %r : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>
}
