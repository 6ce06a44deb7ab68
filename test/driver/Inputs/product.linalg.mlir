func.func @product(%a: tensor<40x24xf32>, %b: tensor<24x56xf32>) -> tensor<40x56xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<40x56xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<40x56xf32>) -> tensor<40x56xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<40x24xf32>, tensor<24x56xf32>) outs(%init : tensor<40x56xf32>) -> tensor<40x56xf32>
  return %0 : tensor<40x56xf32>
}
