// A softmax of the rows of a transposed part of a matrix, without the division.
func.func @main(%x: tensor<64x300xf32>) -> (tensor<150x64xf32>, tensor<150xf32>) {
  %part = tensors.slice %x starts [0, 0] limits [-1, -1] strides [1, 2] : tensor<64x300xf32> -> tensor<64x150xf32>
  %t = tensors.transpose %part permutation [1, 0] : tensor<64x150xf32> -> tensor<150x64xf32>
  %most = tensors.amax %t dims [1] : tensor<150x64xf32> -> tensor<150xf32>
  %wide = prim.broadcast_in_dim %most dims [0] : tensor<150xf32> -> tensor<150x64xf32>
  %d = prim.sub %t, %wide : tensor<150x64xf32>
  %e = prim.exp %d : tensor<150x64xf32>
  %s = tensors.sum %e dims [1] : tensor<150x64xf32> -> tensor<150xf32>
  return %e, %s : tensor<150x64xf32>, tensor<150xf32>
}
