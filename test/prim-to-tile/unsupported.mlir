// RUN: kiln-opt %s -split-input-file -verify-diagnostics --convert-prim-to-tile

func.func @composite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{unsupported: prim.softmax has no schedule and was not decomposed}}
  %r = prim.softmax %x dim 1 : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// expected-error@+1 {{unsupported: expected argument 0 to be a ranked tensor, found 'f32'}}
func.func @scalar(%x: f32) {
  return
}
