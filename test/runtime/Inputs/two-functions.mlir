func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tosa.abs %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @g(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tosa.ceil %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
