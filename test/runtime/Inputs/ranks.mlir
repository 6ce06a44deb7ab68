func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = prim.all_reduce add %x groups [[0, 1]] : tensor<4xf32>
  return %r : tensor<4xf32>
}
