// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @counts() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{expected one or two sources and results, and two of one of them, found 1 and 1}}
  %r = tile.fourier %x axis 0 : tensor<4xf32> -> tensor<4xf32>
}

// -----

tile.kernel @element() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{expected results of 'f32', found 'f64'}}
  %r, %s = tile.fourier %x, %x axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf64>, tensor<4xf64>
}

// -----

tile.kernel @axis() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{expected a dimension in [0, 1), found 1}}
  %r, %s = tile.fourier %x, %x axis 1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>
}

// -----

tile.kernel @parts() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  %y = arith.constant dense<0.0> : tensor<5xf32>
  // expected-error @+1 {{expected parts of one type, found 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %r, %s = tile.fourier %x, %y axis 0 : tensor<4xf32>, tensor<5xf32> -> tensor<4xf32>, tensor<4xf32>
}

// -----

tile.kernel @half() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{expected the sizes of a transform of 'tensor<4xf32>' along dimension 0, found 'tensor<2xf32>'}}
  %r, %s = tile.fourier %x axis 0 : tensor<4xf32> -> tensor<2xf32>, tensor<2xf32>
}

// -----

tile.kernel @whole() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{expected the sizes of a transform of 'tensor<4xf32>' along dimension 0, found 'tensor<5xf32>'}}
  %r = tile.fourier %x, %x axis 0 inverse : tensor<4xf32>, tensor<4xf32> -> tensor<5xf32>
}
