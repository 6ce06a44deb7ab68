// Values of three kinds: sums and functions, which may err, a rounding to a
// narrow type, and a maximum, which may not.
func.func @main(%a: tensor<64x48xf32>, %b: tensor<64x48xf32>, %w: tensor<48x48xf32>) -> (tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xbf16>) {
  %s = prim.add %a, %b : tensor<64x48xf32>
  %m = prim.maximum %a, %b : tensor<64x48xf32>
  %p = prim.dot_general %s, %w batch [] x [] contract [1] x [0] : tensor<64x48xf32>, tensor<48x48xf32> -> tensor<64x48xf32>
  %e = prim.exp %b : tensor<64x48xf32>
  %n = prim.convert_element_type %e : tensor<64x48xf32> -> tensor<64x48xbf16>
  return %p, %m, %n : tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xbf16>
}
