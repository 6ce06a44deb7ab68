//--- add.mlir
!V = !tile.view<?x?xf32>
tile.kernel @add(%x: !V {tile.readonly}, %y: !V) {
  %i, %j = tile.program_id : index, index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c16 : index
  %column = arith.muli %j, %c32 : index
  %t = tile.load %x[%i, %j] : !V -> tensor<16x32xf32>
  kinds.add_to %t, %y at [%row, %column] : tensor<16x32xf32>, !V
}

//--- bump.mlir
!W = !tile.view<?xf32>
tile.kernel @bump(%x: !W {tile.readonly}, %p: !tile.ptr<f32>, %y: !W {tile.noalias}) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !W -> tensor<32xf32>
  %k = tile.iota 0 : tensor<32xi32>
  %b = tile.splat %p : tensor<32x!tile.ptr<f32>>
  %q = tile.ptr_add %b, %k : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %o = kinds.bump %q, %t : tensor<32x!tile.ptr<f32>>, tensor<32xf32> -> tensor<32xf32>
  tile.store %o, %y[%i] : tensor<32xf32>, !W
}

//--- prefix.mlir
!V = !tile.view<?x?xf32>
tile.kernel @prefix(%x: !V {tile.readonly}, %y: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %t = tile.load %x[%i, %j] : !V -> tensor<16x32xf32>
  %s = kinds.prefix %t : tensor<16x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %s, %y[%i, %j] : tensor<16x32xf32>, !V
}
