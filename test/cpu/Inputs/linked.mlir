func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = prim.exp %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
