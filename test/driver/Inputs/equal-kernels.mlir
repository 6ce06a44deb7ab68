// Two matmuls whose kernels are equal.
func.func @main(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = prim.dot_general %a, %a batch [] x [] contract [1] x [0] : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %1 = prim.dot_general %0, %0 batch [] x [] contract [1] x [0] : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
