#l = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#turned = #simt.layout<rank = 1, register = [], lane = [[4], [8], [16], [32], [64]], warp = [[1], [2]]>
!V = !tile.view<?xf32>
!S = memref<128xf32, #stage.space<"shared">>
tile.kernel @threads(%x: !V {tile.readonly}, %y: !V {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %x[0] by 128 : !V
  %s = stage.alloc {align = 16 : i64} : !S
  scf.for %i = %c0 to %n step %c1 {
    %k = kinds.start %x[%i] to %s : !V, !S
    kinds.await %k : !stage.token
    %p = stage.read %s : !S -> tensor<128xf32, #turned>
    tile.store %p, %y[%i] : tensor<128xf32, #turned>, !V
  }
}
