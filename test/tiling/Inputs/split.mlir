func.func @main(%x: tensor<64x256xf32>, %y: tensor<24x40x48xf32>, %z: tensor<24x40x48xf32>)
    -> (tensor<64x256xf32>, tensor<48x40x24xf32>, tensor<48x40x24xf32>) {
  %0 = prim.exp %x : tensor<64x256xf32>
  %1 = prim.transpose %y permutation [2, 1, 0] : tensor<24x40x48xf32> -> tensor<48x40x24xf32>
  %2 = prim.exp %1 : tensor<48x40x24xf32>
  %3 = prim.transpose %z permutation [2, 1, 0] : tensor<24x40x48xf32> -> tensor<48x40x24xf32>
  %4 = prim.exp %3 : tensor<48x40x24xf32>
  return %0, %2, %4 : tensor<64x256xf32>, tensor<48x40x24xf32>, tensor<48x40x24xf32>
}
