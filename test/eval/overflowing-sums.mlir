// A sum of finite terms that may overflow on the way has no bound: one of the evaluations that err is no number, the other is far away, also
// where what follows makes NaN of the exact one. A sum with an infinite term is that infinity, and infinities of both signs are NaN.
// RUN: kiln-run %s --target=reference | FileCheck %s --check-prefix=EXACT
// RUN: kiln-run %s --target=reference,perturb=1 | FileCheck %s --check-prefix=PLUS
// RUN: kiln-run %s --target=reference,perturb=-1 | FileCheck %s --check-prefix=MINUS
// RUN: kiln-run %s --target=cpu --check | FileCheck %s --check-prefix=CHECK
// EXACT: result 0: 4xf32: inf, inf, {{-?}}nan, 1
// PLUS: result 0: 4xf32: {{-?}}nan, inf, {{-?}}nan, {{1|0.99999.*|1.00000.*}}
// MINUS: result 0: 4xf32: -3.40282347e+38, inf, {{-?}}nan, {{1|0.99999.*|1.00000.*}}
// EXACT: result 1: 4xf32: {{-?}}nan, {{-?}}nan, {{-?}}nan, -inf
// PLUS: result 1: 4xf32: {{-?}}nan, {{-?}}nan, {{-?}}nan, -inf
// MINUS: result 1: 4xf32: -inf, {{-?}}nan, {{-?}}nan, -inf
// EXACT: result 2: 4x1xf32: inf, inf, {{-?}}nan, 1
// PLUS: result 2: 4x1xf32: {{-?}}nan, inf, {{-?}}nan, {{1|0.99999.*|1.00000.*}}
// MINUS: result 2: 4x1xf32: -3.40282347e+38, inf, {{-?}}nan, {{1|0.99999.*|1.00000.*}}
// CHECK: result 0: ok
// CHECK: result 1: ok
// CHECK: result 2: ok
// EXACT: result 3: 4x1xf32: {{-?}}nan, {{-?}}nan, {{-?}}nan, -inf
// CHECK: result 3: ok
func.func @main() -> (tensor<4xf32>, tensor<4xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %terms = prim.constant dense<[[-3.0e38, -3.0e38, 3.0e38, 3.0e38, 3.0e38, 3.0e38], [0x7F800000, 0.0, 1.0, -1.0, 2.0, 3.0],
                                [0x7F800000, 0xFF800000, 1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, -1.0, -1.0, 0.0]]> : tensor<4x6xf32>
  %less = prim.constant dense<0xFF800000> : tensor<4xf32>
  %ones = prim.constant dense<1.0> : tensor<6x1xf32>
  %0 = prim.sum %terms dims [1] : tensor<4x6xf32> -> tensor<4xf32>
  %1 = prim.add %0, %less : tensor<4xf32>
  %2 = prim.dot_general %terms, %ones batch [] x [] contract [1] x [0] : tensor<4x6xf32>, tensor<6x1xf32> -> tensor<4x1xf32>
  %column = prim.constant dense<0xFF800000> : tensor<4x1xf32>
  %3 = prim.add %2, %column : tensor<4x1xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}
