// RUN: kiln-opt %s -split-input-file -verify-diagnostics

func.func @counts(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected one or two sources and results, and two of one of them, found 1 and 1}}
  %r = prim.fourier %x dim 0 : tensor<4xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @dim(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a dimension in [0, 1), found 1}}
  %r, %s = prim.fourier %x, %x dim 1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @sizes(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the sizes of a transform of 'tensor<4x8xf32>' along dimension 1, found 'tensor<4x4xf32>'}}
  %r, %s = prim.fourier %x dim 1 : tensor<4x8xf32> -> tensor<4x4xf32>, tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @open(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // expected-error @+1 {{expected a size of 'dim' that is known}}
  %r, %s = prim.fourier %x, %x dim 1 : tensor<4x?xf32>, tensor<4x?xf32> -> tensor<4x?xf32>, tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}
