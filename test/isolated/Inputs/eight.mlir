tile.kernel @k0(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %u = arith.addf %t, %t : tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @k1(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %u = arith.addf %t, %t : tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @k2(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %u = arith.addf %t, %t : tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @k3(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %u = arith.addf %t, %t : tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @k4(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %u = arith.addf %t, %t : tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @k5(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %u = arith.addf %t, %t : tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @k6(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %u = arith.addf %t, %t : tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
tile.kernel @k7(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %u = arith.addf %t, %t : tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
