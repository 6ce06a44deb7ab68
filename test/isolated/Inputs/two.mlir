tile.kernel @least(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.readonly}, %z: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %b = tile.load %y[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %c = arith.minimumf %a, %b : tensor<64xf32>
  tile.store %c, %z[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @exp(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %b = math.exp %a : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
