// A transposed tensor is read with strides.
func.func @main(%x: tensor<5x33xf32>, %y: tensor<5x33xf32>) -> (tensor<5x33xf32>, tensor<33x5xf32>) {
  %0 = prim.add %x, %y : tensor<5x33xf32>
  %1 = prim.sigmoid %0 : tensor<5x33xf32>
  %2 = prim.mul %1, %y : tensor<5x33xf32>
  %3 = prim.transpose %x permutation [1, 0] : tensor<5x33xf32> -> tensor<33x5xf32>
  %4 = prim.sigmoid %3 : tensor<33x5xf32>
  return %2, %4 : tensor<5x33xf32>, tensor<33x5xf32>
}
