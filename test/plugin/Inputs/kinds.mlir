!V = !tile.view<?x?xf32>
!I = !tile.view<?xi32>
// y[i, j] = x[rows[i], j]
tile.kernel @pick(%x: !V {tile.readonly}, %rows: !I {tile.readonly}, %y: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c32 = arith.constant 32 : index
  %column = arith.muli %j, %c32 : index
  %r = tile.load %rows[%i] : !I -> tensor<16xi32>
  %t = kinds.pick %x at %r, %column : !V, tensor<16xi32> -> tensor<16x32xf32>
  tile.store %t, %y[%i, %j] : tensor<16x32xf32>, !V
}
tile.kernel @running(%x: !V {tile.readonly}, %y: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %t = tile.load %x[%i, %j] : !V -> tensor<16x32xf32>
  %s = kinds.running %t : tensor<16x32xf32>
  tile.store %s, %y[%i, %j] : tensor<16x32xf32>, !V
}
tile.kernel @arrange(%x: !V {tile.readonly}, %y: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %t = tile.load %x[%i, %j] : !V -> tensor<16x32xf32>
  %s = kinds.arrange %t : tensor<16x32xf32>
  tile.store %s, %y[%i, %j] : tensor<16x32xf32>, !V
}
