!V = !tile.view<?xf32>
!S = memref<64xf32>

tile.kernel @vectors(%x: !V {tile.readonly}, %y: !V {tile.noalias}) {
  %i = tile.program_id : index
  %s = stage.alloc : !S
  stage.compute [64] {
    %t = tile.load %x[%i] : !V -> tensor<64xf32>
    %e = arith.mulf %t, %t : tensor<64xf32>
    depot.write %e, %s : tensor<64xf32>, !S
  }
  stage.compute [64] {
    %t = depot.read %s : !S -> tensor<64xf32>
    %d = arith.addf %t, %t : tensor<64xf32>
    tile.store %d, %y[%i] : tensor<64xf32>, !V
  }
}
