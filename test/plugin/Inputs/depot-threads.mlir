#l = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#turned = #simt.layout<rank = 1, register = [], lane = [[4], [8], [16], [32], [64]], warp = [[1], [2]]>
!V = !tile.view<?xf32>
!S = memref<128xf32, #stage.space<"shared">>

tile.kernel @threads(%x: !V {tile.readonly}, %y: !V {tile.noalias}) attributes {warps = 4 : i64} {
  %i = tile.program_id : index
  %s = stage.alloc {align = 16 : i64} : !S
  %t = tile.load %x[%i] : !V -> tensor<128xf32, #l>
  %e = arith.mulf %t, %t : tensor<128xf32, #l>
  depot.write %e, %s : tensor<128xf32, #l>, !S
  %p = depot.read %s : !S -> tensor<128xf32, #turned>
  %q = depot.read %s : !S -> tensor<128xf32, #turned>
  %d = arith.addf %p, %q : tensor<128xf32, #turned>
  tile.store %d, %y[%i] : tensor<128xf32, #turned>, !V
}
