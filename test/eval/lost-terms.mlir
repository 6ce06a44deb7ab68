// How far a product of bf16 may err: what subnormal factors contribute may be missing. 2^-133 times 2^127 is 2^-6.
// RUN: kiln-run %s --target=reference | FileCheck %s --check-prefix=EXACT
// RUN: kiln-run %s --target=reference,perturb=1 | FileCheck %s
// EXACT: result 0: 1x1xf32: 0.015625
// CHECK: result 0: 1x1xf32: {{-1\.8.*e-09|0\.031250002}}
func.func @main() -> tensor<1x1xf32> {
  %a = prim.constant dense<[[0x0001, 0x3F80]]> : tensor<1x2xbf16>
  %b = prim.constant dense<[[0x7F00], [0x0000]]> : tensor<2x1xbf16>
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1x2xbf16>, tensor<2x1xbf16> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
