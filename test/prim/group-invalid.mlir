// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @fusion_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected block arguments of the types of the inputs}}
  %0 = prim.fusion elementwise (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    prim.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the region to yield values of the types of the results}}
  %0 = prim.fusion elementwise (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @+1 {{terminator is here}}
    prim.yield
  }
  return
}

// -----

func.func @claim_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the region to yield values of the types of the results}}
  %0 = prim.claim "npu" "all" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @+1 {{terminator is here}}
    prim.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @isolated(%x: tensor<4xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = prim.fusion elementwise () : () -> tensor<4xf32> {
    // expected-error @+1 {{using value defined outside the region}}
    prim.yield %x : tensor<4xf32>
  }
  return
}
