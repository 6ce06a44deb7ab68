// RUN: kiln-eval %s | FileCheck %s
// Correctly rounded up to f32.

// CHECK: erfcx = [3] f32: 0.427583575 0.00564161362 1
func.func @erfcx() -> tensor<3xf32> {
  %x = prim.constant dense<[1.0, 100.0, 0.0]> : tensor<3xf32>
  %r = prim.erfcx %x : tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK: erfinv = [2] f32: 0.476936281 -2.32675624
func.func @erfinv() -> tensor<2xf32> {
  %x = prim.constant dense<[0.5, -0.999]> : tensor<2xf32>
  %r = prim.erfinv %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK: ndtri = [2] f32: -0.674489737 -11.4640245
func.func @ndtri() -> tensor<2xf32> {
  %x = prim.constant dense<[0.25, 1.0e-30]> : tensor<2xf32>
  %r = prim.ndtri %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK: digamma = [3] f32: -0.577215672 0.0364899747 4.60016203
func.func @digamma() -> tensor<3xf32> {
  %x = prim.constant dense<[1.0, -0.5, 100.0]> : tensor<3xf32>
  %r = prim.digamma %x : tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK: bessel_i0 = [2] f32: 1.26606584 7.81672317e+11
func.func @bessel_i0() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0, 30.0]> : tensor<2xf32>
  %r = prim.bessel_i0 %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK: bessel_i0e = [2] f32: 0.465759605 0.0126172407
func.func @bessel_i0e() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0, -1000.0]> : tensor<2xf32>
  %r = prim.bessel_i0e %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK: bessel_i1 = [2] f32: 0.565159082 -7.68532021e+11
func.func @bessel_i1() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0, -30.0]> : tensor<2xf32>
  %r = prim.bessel_i1 %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK: bessel_i1e = [2] f32: 0.207910419 -0.01261093
func.func @bessel_i1e() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0, -1000.0]> : tensor<2xf32>
  %r = prim.bessel_i1e %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK: bessel_j0 = [2] f32: 0.765197694 1
func.func @bessel_j0() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %r = prim.bessel_j0 %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK: bessel_j1 = [2] f32: 0.440050572 -0.440050572
func.func @bessel_j1() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %r = prim.bessel_j1 %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK: bessel_y0 = [1] f32: 0.0882569626
func.func @bessel_y0() -> tensor<1xf32> {
  %x = prim.constant dense<[1.0]> : tensor<1xf32>
  %r = prim.bessel_y0 %x : tensor<1xf32>
  return %r : tensor<1xf32>
}

// CHECK: bessel_y1 = [1] f32: -0.781212807
func.func @bessel_y1() -> tensor<1xf32> {
  %x = prim.constant dense<[1.0]> : tensor<1xf32>
  %r = prim.bessel_y1 %x : tensor<1xf32>
  return %r : tensor<1xf32>
}

// CHECK: spherical_bessel_j0 = [2] f32: 0.841470957 1
func.func @spherical_bessel_j0() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %r = prim.spherical_bessel_j0 %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// Negative numbers up to the fraction are terms, too.
// CHECK: zeta = [6] f32: 1.64493406 0.118102029 8.93480206 0.118102029 inf nan
func.func @zeta() -> tensor<6xf32> {
  %s = prim.constant dense<[2.0, 3.0, 2.0, 3.0, 1.0, 0.5]> : tensor<6xf32>
  %q = prim.constant dense<[1.0, 2.5, -0.5, -1.5, 2.0, 2.0]> : tensor<6xf32>
  %r = prim.zeta %s, %q : tensor<6xf32>
  return %r : tensor<6xf32>
}

// CHECK: polygamma = [5] f32: -0.577215672 1.64493406 -16.8287964 8.93480206 nan
func.func @polygamma() -> tensor<5xf32> {
  %n = prim.constant dense<[0.0, 1.0, 2.0, 1.0, 1.5]> : tensor<5xf32>
  %x = prim.constant dense<[1.0, 1.0, 0.5, -0.5, 1.0]> : tensor<5xf32>
  %r = prim.polygamma %n, %x : tensor<5xf32>
  return %r : tensor<5xf32>
}
