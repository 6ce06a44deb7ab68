tile.kernel @add(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %z: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1024xf32>
  %b = tile.load %y[%i] : !tile.view<?xf32> -> tensor<1024xf32>
  %c = arith.addf %a, %b : tensor<1024xf32>
  tile.store %c, %z[%i] : tensor<1024xf32>, !tile.view<?xf32>
}
