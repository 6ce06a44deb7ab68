// RUN: kiln-opt %s --prim-raise-composites | FileCheck %s

// CHECK-LABEL: func.func @silu
// CHECK-NEXT: %[[R:.*]] = prim.silu %arg0
// CHECK-NEXT: return %[[R]]
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = prim.constant dense<1.0> : tensor<4xf32>
  %0 = prim.neg %x : tensor<4xf32>
  %1 = prim.exp %0 : tensor<4xf32>
  %2 = prim.add %one, %1 : tensor<4xf32>
  %3 = prim.reciprocal %2 : tensor<4xf32>
  %4 = prim.mul %x, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @relu
// CHECK: prim.relu %arg0
// CHECK: prim.clamp %arg0
func.func @relu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = prim.constant dense<0.0> : tensor<4xf32>
  %0 = prim.maximum %z, %x : tensor<4xf32>
  %1 = prim.clamp %x min 0.0 : f32 max 6.0 : f32 : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_erf
// CHECK: prim.gelu %arg0 exact
func.func @gelu_erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = prim.constant dense<0.5> : tensor<4xf32>
  %one = prim.constant dense<1.0> : tensor<4xf32>
  %root = prim.constant dense<1.41421354> : tensor<4xf32>
  %0 = prim.div %x, %root : tensor<4xf32>
  %1 = prim.erf %0 : tensor<4xf32>
  %2 = prim.add %1, %one : tensor<4xf32>
  %3 = prim.mul %x, %2 : tensor<4xf32>
  %4 = prim.mul %3, %half : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_tanh
// CHECK: prim.gelu %arg0 tanh
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = prim.constant dense<0.5> : tensor<4xf32>
  %one = prim.constant dense<1.0> : tensor<4xf32>
  %three = prim.constant dense<3.0> : tensor<4xf32>
  %a = prim.constant dense<0.044715> : tensor<4xf32>
  %b = prim.constant dense<0.797884583> : tensor<4xf32>
  %0 = prim.pow %x, %three : tensor<4xf32>
  %1 = prim.mul %0, %a : tensor<4xf32>
  %2 = prim.add %x, %1 : tensor<4xf32>
  %3 = prim.mul %2, %b : tensor<4xf32>
  %4 = prim.tanh %3 : tensor<4xf32>
  %5 = prim.add %4, %one : tensor<4xf32>
  %6 = prim.mul %half, %x : tensor<4xf32>
  %7 = prim.mul %6, %5 : tensor<4xf32>
  return %7 : tensor<4xf32>
}

// Another constant is another function.
// CHECK-LABEL: func.func @not_gelu
// CHECK-NOT: prim.gelu
// CHECK: return
func.func @not_gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = prim.constant dense<0.5> : tensor<4xf32>
  %one = prim.constant dense<1.0> : tensor<4xf32>
  %0 = prim.erf %x : tensor<4xf32>
  %1 = prim.add %0, %one : tensor<4xf32>
  %2 = prim.mul %x, %1 : tensor<4xf32>
  %3 = prim.mul %2, %half : tensor<4xf32>
  return %3 : tensor<4xf32>
}
