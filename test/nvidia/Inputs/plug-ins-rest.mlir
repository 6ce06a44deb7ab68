tile.kernel @rest(%x: f32, %y: !tile.view<32xf32>, %a: !tile.view<32x16xi8>, %s: !tile.view<32x1xi8>, %b: !tile.view<16x32xi8>, %z: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %v = tensor.splat %x : tensor<32xf32>
  tile.store %v, %y[%c0] : tensor<32xf32>, !tile.view<32xf32>
  %acc = arith.constant dense<0.0> : tensor<32x32xf32>
  %l = tile.load %a[%c0, %c0] : !tile.view<32x16xi8> -> tensor<32x16xi8>
  %t = tile.load %s[%c0, %c0] : !tile.view<32x1xi8> -> tensor<32x1xi8>
  %r = tile.load %b[%c0, %c0] : !tile.view<16x32xi8> -> tensor<16x32xi8>
  %d = tile.dot_scaled %l e2m1 scale %t, %r e2m1, %acc : tensor<32x16xi8> scale tensor<32x1xi8>, tensor<16x32xi8>, tensor<32x32xf32>
  tile.store %d, %z[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}
