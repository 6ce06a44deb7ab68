// Normalises rows and adds a bias, as a frontend exports it: the example of docs/tutorial.md.
func.func @norm(%x: tensor<64x512xf32> {ml_program.identifier = "x"},
                %bias: tensor<1x512xf32> {ml_program.identifier = "bias"}) -> tensor<64x512xf32> {
  %count = "tosa.const"() <{values = dense<0.001953125> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %epsilon = "tosa.const"() <{values = dense<1.0e-5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %x, %shift : (tensor<64x512xf32>, tensor<64x512xf32>, tensor<1xi8>) -> tensor<64x512xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<64x512xf32>) -> tensor<64x1xf32>
  %2 = tosa.mul %1, %count, %shift : (tensor<64x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<64x1xf32>
  %3 = tosa.add %2, %epsilon : (tensor<64x1xf32>, tensor<1x1xf32>) -> tensor<64x1xf32>
  %4 = tosa.rsqrt %3 : (tensor<64x1xf32>) -> tensor<64x1xf32>
  %5 = tosa.mul %x, %4, %shift : (tensor<64x512xf32>, tensor<64x1xf32>, tensor<1xi8>) -> tensor<64x512xf32>
  %6 = tosa.add %5, %bias : (tensor<64x512xf32>, tensor<1x512xf32>) -> tensor<64x512xf32>
  return %6 : tensor<64x512xf32>
}
