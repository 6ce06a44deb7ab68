// Functions that no schedule knows, though their operations say what they do by the interfaces.
func.func @two_dims(%x: tensor<8x300xf32>) -> tensor<i32> {
  %m = tensors.argmax %x dims [0, 1] : tensor<8x300xf32> -> tensor<i32>
  return %m : tensor<i32>
}

// -----

func.func @narrow(%x: tensor<8x300xf32>) -> tensor<8xi16> {
  %m = tensors.argmax %x dims [1] : tensor<8x300xf32> -> tensor<8xi16>
  return %m : tensor<8xi16>
}

// -----

func.func @pool(%x: tensor<1x8x8x4xf32>) -> tensor<1x7x7x4xf32> {
  %m = tensors.pool %x sizes [2, 2] : tensor<1x8x8x4xf32> -> tensor<1x7x7x4xf32>
  return %m : tensor<1x7x7x4xf32>
}
