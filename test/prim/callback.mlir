// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --prim-simplify --cse | FileCheck %s --check-prefix=EFFECTS

// CHECK-LABEL: func.func @forms
func.func @forms(%a: tensor<?x8xf32>, %b: tensor<i1>) -> tensor<4xi8> {
  // CHECK: prim.callback "log"(%{{.*}}, %{{.*}}) : (tensor<?x8xf32>, tensor<i1>) -> ()
  prim.callback "log"(%a, %b) : (tensor<?x8xf32>, tensor<i1>) -> ()
  // CHECK: %{{.*}}:2 = prim.callback "7"() : () -> (tensor<4xi8>, tensor<f8E5M2>)
  %0:2 = prim.callback "7"() : () -> (tensor<4xi8>, tensor<f8E5M2>)
  return %0#0 : tensor<4xi8>
}

// A call happens though nothing uses what it gives, and equal calls are two.
// EFFECTS-LABEL: func.func @effects
// EFFECTS: prim.callback "next"
// EFFECTS: prim.callback "next"
// EFFECTS: prim.callback "next"
// EFFECTS: prim.if
// EFFECTS: prim.callback "next"
func.func @effects(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = prim.callback "next"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = prim.callback "next"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = prim.callback "next"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = prim.add %0, %1 : tensor<4xf32>
  prim.if %c : tensor<i1> {
    prim.callback "next"(%x) : (tensor<4xf32>) -> ()
    prim.yield
  } else {
    prim.yield
  }
  return %3 : tensor<4xf32>
}
