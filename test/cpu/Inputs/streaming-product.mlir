tile.kernel @product(%x: !tile.view<256x256xi8> {tile.readonly}, %y: !tile.view<256x256xi8> {tile.readonly}, %z: !tile.view<256x256xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<256x256xi32>
  %a = tile.load %x[%c0, %c0] : !tile.view<256x256xi8> -> tensor<256x256xi8>
  %b = tile.load %y[%c0, %c0] : !tile.view<256x256xi8> -> tensor<256x256xi8>
  %d = tile.dot %a, %b, %zero : tensor<256x256xi8>, tensor<256x256xi8>, tensor<256x256xi32>
  tile.store %d, %z[%c0, %c0] : tensor<256x256xi32>, !tile.view<256x256xi32>
}
