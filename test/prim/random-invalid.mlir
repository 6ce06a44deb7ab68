// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @random_bits_c1(%key: tensor<2xi32>, %c: tensor<4xi32>) {
  // expected-error @+1 {{expected 1 sizes}}
  %0 = prim.random_bits philox %key, %c : tensor<2xi32>, tensor<4xi32> -> tensor<?xi32>
  return
}

// -----

func.func @random_bits_c2(%key: tensor<2xi64>, %c: tensor<4xi32>) {
  // expected-error @+1 {{expected a key of element type 'i32', found 'i64'}}
  %0 = prim.random_bits philox %key, %c : tensor<2xi64>, tensor<4xi32> -> tensor<8xi32>
  return
}

// -----

func.func @random_bits_c2_counter(%key: tensor<2xi32>, %c: tensor<4xi32>) {
  // expected-error @+1 {{expected a counter of shape [2], found [4]}}
  %0 = prim.random_bits threefry %key, %c : tensor<2xi32>, tensor<4xi32> -> tensor<8xi32>
  return
}
