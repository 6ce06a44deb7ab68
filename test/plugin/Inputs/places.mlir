// Places in rows that a loop goes through, of floats and of integers, what is computed with them, and places in columns.
func.func @main(%x: tensor<8x30000xf32>, %y: tensor<8x300xi32>, %z: tensor<300x64xf32>) -> (tensor<8xi64>, tensor<8xi32>, tensor<64xi32>) {
  %a = prim.abs %x : tensor<8x30000xf32>
  %p = tensors.argmax %a dims [1] : tensor<8x30000xf32> -> tensor<8xi64>
  %q = tensors.argmax %y dims [1] : tensor<8x300xi32> -> tensor<8xi32>
  %n = prim.neg %q : tensor<8xi32>
  %t = prim.transpose %z permutation [1, 0] : tensor<300x64xf32> -> tensor<64x300xf32>
  %r = tensors.argmax %t dims [1] : tensor<64x300xf32> -> tensor<64xi32>
  return %p, %n, %r : tensor<8xi64>, tensor<8xi32>, tensor<64xi32>
}
