tile.kernel @twice(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %b = arith.addf %a, %a : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @first(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1xf32>
  %s = tensor.extract %a[%c0] : tensor<1xf32>
  %b = tile.splat %s : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
