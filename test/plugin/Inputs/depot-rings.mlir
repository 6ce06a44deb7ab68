!V = !tile.view<?x64xf32>
!S = memref<1x64xf32, #stage.space<"pad">>

tile.kernel @rings(%x: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.dim %x[0] : !V
  scf.for %i = %c0 to %n step %c1 {
    %a = stage.alloc : !S
    depot.copy %x[%i, %c0] to %a : !V, !S
    stage.compute [1, 64] {
      %p = depot.read %a : !S -> tensor<1x64xf32>
      %s = arith.addf %p, %p : tensor<1x64xf32>
      tile.store %s, %z[%i, %c0] : tensor<1x64xf32>, !V
    }
  }
}
