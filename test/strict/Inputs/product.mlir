func.func @main(%a: tensor<40x72xf32>, %b: tensor<72x24xf32>) -> tensor<40x24xf32> {
  %c = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<40x72xf32>, tensor<72x24xf32> -> tensor<40x24xf32>
  return %c : tensor<40x24xf32>
}
