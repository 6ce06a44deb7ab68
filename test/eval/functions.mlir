// RUN: kiln-eval %s | FileCheck %s
// Correctly rounded up to f32.

// CHECK: exp = [4] f32: 2.71828175 0 inf 1.40129846e-45
func.func @exp() -> tensor<4xf32> {
  %x = prim.constant dense<[1.0, -200.0, 89.0, -103.0]> : tensor<4xf32>
  %r = prim.exp %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK: exp2 = [2] f16: 8 5.96046448e-08
func.func @exp2() -> tensor<2xf16> {
  %x = prim.constant dense<[3.0, -24.0]> : tensor<2xf16>
  %r = prim.exp2 %x : tensor<2xf16>
  return %r : tensor<2xf16>
}
// CHECK: expm1 = [2] f32: 9.99999994e-09 1.71828187
func.func @expm1() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0e-8, 1.0]> : tensor<2xf32>
  %r = prim.expm1 %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
// CHECK: log = [3] f32: 0.693147182 -inf nan
func.func @log() -> tensor<3xf32> {
  %x = prim.constant dense<[2.0, 0.0, -1.0]> : tensor<3xf32>
  %r = prim.log %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
// CHECK: log1p = [1] f32: 9.99999994e-09
func.func @log1p() -> tensor<1xf32> {
  %x = prim.constant dense<[1.0e-8]> : tensor<1xf32>
  %r = prim.log1p %x : tensor<1xf32>
  return %r : tensor<1xf32>
}
// CHECK: trigonometry[0] = [2] f32: 0.841470957 -8.74227766e-08
// CHECK: trigonometry[1] = [2] f32: 0.540302277 -1
func.func @trigonometry() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = prim.constant dense<[1.0, 3.14159274]> : tensor<2xf32>
  %s = prim.sin %x : tensor<2xf32>
  %c = prim.cos %x : tensor<2xf32>
  return %s, %c : tensor<2xf32>, tensor<2xf32>
}
// CHECK: tanh = [2] bf16: 0.76171875 1
func.func @tanh() -> tensor<2xbf16> {
  %x = prim.constant dense<[1.0, 100.0]> : tensor<2xbf16>
  %r = prim.tanh %x : tensor<2xbf16>
  return %r : tensor<2xbf16>
}
// CHECK: erf = [1] f64: 0.84270079294971489
func.func @erf() -> tensor<1xf64> {
  %x = prim.constant dense<[1.0]> : tensor<1xf64>
  %r = prim.erf %x : tensor<1xf64>
  return %r : tensor<1xf64>
}
// CHECK: roots[0] = [2] f32: 1.41421354 3
// CHECK: roots[1] = [2] f32: 0.707106769 0.333333343
// CHECK: roots[2] = [2] f32: 0.5 0.111111112
func.func @roots() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = prim.constant dense<[2.0, 9.0]> : tensor<2xf32>
  %s = prim.sqrt %x : tensor<2xf32>
  %r = prim.rsqrt %x : tensor<2xf32>
  %i = prim.reciprocal %x : tensor<2xf32>
  return %s, %r, %i : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
// CHECK: circular[0] = [2] f32: 1.55740774 -22877332
// CHECK: circular[1] = [2] f32: 1.57079637 nan
// CHECK: circular[2] = [2] f32: 0 nan
// CHECK: circular[3] = [2] f32: 0.785398185 1.10714877
func.func @circular() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = prim.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = prim.constant dense<[1.0, 1.57079637]> : tensor<2xf32>
  %t = prim.tan %r : tensor<2xf32>
  %a = prim.asin %x : tensor<2xf32>
  %b = prim.acos %x : tensor<2xf32>
  %c = prim.atan %x : tensor<2xf32>
  return %t, %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
// CHECK: hyperbolic[0] = [2] f64: 1.1752011936438014 3.62686040784701{{[89].*}}
// CHECK: hyperbolic[1] = [2] f64: 1.5430806348152437 3.7621956910836314
// CHECK: hyperbolic[2] = [2] f64: 0.88137358701954305 1.4436354751788103
// CHECK: hyperbolic[3] = [2] f64: 0 1.3169578969248168
// CHECK: hyperbolic[4] = [2] f64: inf nan
func.func @hyperbolic() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %x = prim.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %a = prim.sinh %x : tensor<2xf64>
  %b = prim.cosh %x : tensor<2xf64>
  %c = prim.asinh %x : tensor<2xf64>
  %d = prim.acosh %x : tensor<2xf64>
  %e = prim.atanh %x : tensor<2xf64>
  return %a, %b, %c, %d, %e : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
// CHECK: logarithms[0] = [2] f32: 3 -inf
// CHECK: logarithms[1] = [2] f32: 0.90309 -inf
// CHECK: logarithms[2] = [2] f32: 2 -0
// CHECK: logarithms[3] = [2] f32: 1.12242971e-29 1
// CHECK: logarithms[4] = [2] f32: 8.52516174 inf
func.func @logarithms() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = prim.constant dense<[8.0, -0.0]> : tensor<2xf32>
  %a = prim.log2 %x : tensor<2xf32>
  %b = prim.log10 %x : tensor<2xf32>
  %c = prim.cbrt %x : tensor<2xf32>
  %d = prim.erfc %x : tensor<2xf32>
  %e = prim.lgamma %x : tensor<2xf32>
  return %a, %b, %c, %d, %e : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
// CHECK: planes[0] = [3] f32: 2.3561945 3.14159274 -0
// CHECK: planes[1] = [3] f32: 1.41421354 1 inf
func.func @planes() -> (tensor<3xf32>, tensor<3xf32>) {
  %y = prim.constant dense<[1.0, 0.0, -0.0]> : tensor<3xf32>
  %x = prim.constant dense<[-1.0, -1.0, 0x7F800000]> : tensor<3xf32>
  %a = prim.atan2 %y, %x : tensor<3xf32>
  %b = prim.hypot %y, %x : tensor<3xf32>
  return %a, %b : tensor<3xf32>, tensor<3xf32>
}
