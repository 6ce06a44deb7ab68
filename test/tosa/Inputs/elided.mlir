func.func @f(%x: tensor<2x3xf32>, %y: tensor<4xi8>) -> (tensor<2x3xf32>, tensor<4xi8>) {
  %w = arith.constant dense_resource<__elided__> : tensor<2x3xf32>
  %v = "tosa.const"() <{values = dense_resource<__elided__> : tensor<4xi8>}> : () -> tensor<4xi8>
  %0 = tosa.add %x, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tosa.add %y, %v : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0, %1 : tensor<2x3xf32>, tensor<4xi8>
}
