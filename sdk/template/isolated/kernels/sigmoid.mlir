// A program of tensors: its operations become one kernel.
func.func @main(%x: tensor<100x200xf32>) -> tensor<100x200xf32> {
  %y = tosa.sigmoid %x : (tensor<100x200xf32>) -> tensor<100x200xf32>
  return %y : tensor<100x200xf32>
}
