// Two kernels of dynamic sizes.
func.func @main(%a: tensor<?x64xf32>, %b: tensor<64x?xf32>, %c : tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<?x64xf32>, tensor<64x?xf32> -> tensor<?x?xf32>
  %1 = prim.exp %0 : tensor<?x?xf32>
  %2 = prim.add %1, %c : tensor<?x?xf32>
  %3 = prim.transpose %c permutation [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %4 = prim.sum %3 dims [0] : tensor<?x?xf32> -> tensor<?xf32>
  return %2, %4 : tensor<?x?xf32>, tensor<?xf32>
}
