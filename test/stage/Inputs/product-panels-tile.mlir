// The same at the tile level.
!V = !tile.view<?x?xbf16>
tile.kernel @matmul_relu(%a: !V, %b: !V, %c: !V) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %x = tile.load %a[%i, %c0] : !V -> tensor<64x512xbf16>
  %y = tile.load %b[%c0, %j] : !V -> tensor<512x128xbf16>
  %s = tile.dot %x, %y, %zero : tensor<64x512xbf16>, tensor<512x128xbf16>, tensor<64x128xf32>
  %r = arith.maximumf %s, %zero : tensor<64x128xf32>
  %o = arith.truncf %r : tensor<64x128xf32> to tensor<64x128xbf16>
  tile.store %o, %c[%i, %j] : tensor<64x128xbf16>, !V
}
