// A small function that is asked for beside one whose evaluation takes long.
func.func @wanted(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = prim.exp %a : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func @other(%a: tensor<9000x9000xf32>) -> tensor<9000x9000xf32> {
  %r = prim.dot_general %a, %a batch [] x [] contract [1] x [0] : tensor<9000x9000xf32>, tensor<9000x9000xf32> -> tensor<9000x9000xf32>
  return %r : tensor<9000x9000xf32>
}
