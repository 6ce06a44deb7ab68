// How far a scatter that multiplies or adds may err, since a target may combine the updates of one element in any order. Element 0 gets three
// factors, element 1 factors that overflow in one order and not in another, element 2 one update, which rounds once.
// RUN: kiln-run %s --target=reference | FileCheck %s --check-prefix=EXACT
// RUN: kiln-run %s --target=reference,perturb=1 | FileCheck %s --check-prefix=PLUS
// RUN: kiln-run %s --target=reference,perturb=-1 | FileCheck %s --check-prefix=MINUS
// EXACT: result 0: 4xf16: 6.59765625, inf, 3, 1
// PLUS: result 0: 4xf16: {{6.61.*|6.57.*}}, nan, {{3.0039.*|2.9960.*}}, 1
// MINUS: result 0: 4xf16: {{6.61.*|6.57.*}}, -65504, {{3.0039.*|2.9960.*}}, 1
// EXACT: result 1: 4xf16: 6.30078125, -1, 4, 1
// PLUS: result 1: 4xf16: {{6.28.*|6.32.*}}, nan, {{4.00.*|3.99.*}}, 1
// MINUS: result 1: 4xf16: {{6.28.*|6.32.*}}, 65504, {{4.00.*|3.99.*}}, 1
// Kinds that have one result in each order do not err.
// PLUS: result 2: 4xf16: 3, 60000, 3, 1
// MINUS: result 2: 4xf16: 3, 60000, 3, 1
func.func @main() -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  %x = prim.constant dense<1.0> : tensor<4xf16>
  %at = prim.constant dense<[[0], [0], [0], [1], [1], [1], [2]]> : tensor<7x1xi32>
  %factors = prim.constant dense<[[1.1], [2.0], [3.0], [1.0e2], [1.0e3], [1.0e-1], [3.0]]> : tensor<7x1xf16>
  %0 = prim.scatter mul %x, %at, %factors dims [0] batch_dims 0 : tensor<4xf16>, tensor<7x1xi32>, tensor<7x1xf16>
  %terms = prim.constant dense<[[0.2], [2.1], [3.0], [6.0e4], [-6.0e4], [-1.0], [3.0]]> : tensor<7x1xf16>
  %1 = prim.scatter add %x, %at, %terms dims [0] batch_dims 0 : tensor<4xf16>, tensor<7x1xi32>, tensor<7x1xf16>
  %2 = prim.scatter max %x, %at, %terms dims [0] batch_dims 0 : tensor<4xf16>, tensor<7x1xi32>, tensor<7x1xf16>
  return %0, %1, %2 : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}
