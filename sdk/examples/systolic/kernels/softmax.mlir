// Claimed: a row of 1000 fits. The second softmax's rows do not, so that it is decomposed.
func.func @main(%x: tensor<6x40x100xf32>, %y: tensor<3x20000xf32>) -> (tensor<6x40x100xf32>, tensor<3x20000xf32>) {
  %s = prim.softmax %x dim 2 : tensor<6x40x100xf32>
  %t = prim.softmax %y dim 1 : tensor<3x20000xf32>
  return %s, %t : tensor<6x40x100xf32>, tensor<3x20000xf32>
}
