func.func @f(%x: tensor<6x40xf32>, %y: tensor<6x40xf32>) -> (tensor<6x40xf32>, tensor<6x1xf32>) {
  %0 = tosa.exp %x : (tensor<6x40xf32>) -> tensor<6x40xf32>
  %1 = tosa.sub %0, %y : (tensor<6x40xf32>, tensor<6x40xf32>) -> tensor<6x40xf32>
  %2 = tosa.reduce_sum %1 {axis = 1 : i32} : (tensor<6x40xf32>) -> tensor<6x1xf32>
  return %1, %2 : tensor<6x40xf32>, tensor<6x1xf32>
}
