// RUN: kiln-opt %s --convert-linalg-to-prim --split-input-file --verify-diagnostics

func.func @region(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{unsupported: tm_tensor.sort has a region that is no order of one of the tensors}}
  %0 = tm_tensor.sort dimension(0) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oeq, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @dimension(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected a dimension in [0, 1), found 1}}
  %0 = tm_tensor.sort dimension(1) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @arguments(%x: tensor<4xf32>, %y: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // expected-error@+1 {{expected an argument of the region of type 'i32', found 'f32'}}
  %0:2 = tm_tensor.sort dimension(0) outs(%x, %y : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %e = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %e : i1
  } -> tensor<4xf32>, tensor<4xi32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

// -----

func.func @rows(%x: tensor<4xf32>, %u: tensor<3xf32>, %i: tensor<3x2xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected a row of 1 integers for each update}}
  %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<3xf32>, tensor<3x2xi32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
