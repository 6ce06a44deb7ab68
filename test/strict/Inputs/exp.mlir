tile.kernel @exp(%a: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %x = tile.load %a[%i, %j] : !tile.view<?x?xf32> -> tensor<32x64xf32>
  %y = math.exp %x : tensor<32x64xf32>
  tile.store %y, %c[%i, %j] : tensor<32x64xf32>, !tile.view<?x?xf32>
}
