// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<?xf32>) {
  // CHECK: prim.fusion elementwise schedule "rows"(%{{.*}}, %{{.*}}) : (tensor<4xf32>, index) -> (tensor<4xf32>, tensor<?xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>, %{{.*}}: index):
  %0:2 = prim.fusion elementwise schedule "rows" (%x, %n) : (tensor<4xf32>, index) -> (tensor<4xf32>, tensor<?xf32>) {
  ^bb0(%a: tensor<4xf32>, %m: index):
    %1 = prim.neg %a : tensor<4xf32>
    %2 = prim.full 1.0 : f32 sizes (%m) : tensor<?xf32>
    // CHECK: prim.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32>
    prim.yield %1, %2 : tensor<4xf32>, tensor<?xf32>
  }
  // CHECK: prim.claim "npu" "negate"(%{{.*}}) attributes {config = {queue = 1 : i64}} :
  %3 = prim.claim "npu" "negate" (%0#0) attributes {config = {queue = 1}} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = prim.neg %a : tensor<4xf32>
    prim.yield %1 : tensor<4xf32>
  }
  return %3, %0#1 : tensor<4xf32>, tensor<?xf32>
}
