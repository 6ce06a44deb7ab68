// Two kernels that are too much.
tile.kernel @large(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<4096xf32>
  tile.store %a, %y[%i] : tensor<4096xf32>, !tile.view<?xf32>
}

tile.kernel @deep(%x: !tile.view<?x?x?x?xf32> {tile.readonly}, %y: !tile.view<?x?x?x?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0, %c0, %c0] : !tile.view<?x?x?x?xf32> -> tensor<2x2x2x2xf32>
  tile.store %a, %y[%i, %c0, %c0, %c0] : tensor<2x2x2x2xf32>, !tile.view<?x?x?x?xf32>
}
