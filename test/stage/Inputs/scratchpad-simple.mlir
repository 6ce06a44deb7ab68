// a * b in bf16 on a machine with a scratchpad, before anything is decided about time and place: each iteration copies
// two blocks and multiplies them.
!V = !tile.view<?x?xbf16>
!S = memref<64x64xbf16, #stage.space<"pad">>
!C = memref<64x64xf32, #stage.space<"pad">>
tile.kernel @product(%a: !V, %b: !V, %c: !V) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %n = tile.num_blocks %a[1] by 64 : !V
  %acc = stage.alloc : !C
  %x = stage.alloc : !S
  %y = stage.alloc : !S
  %out = stage.alloc : !S
  stage.compute [64, 64] {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    stage.write %z, %acc : tensor<64x64xf32>, !C
  }
  scf.for %k = %c0 to %n step %c1 {
    stage.copy %a[%i, %k] to %x : !V, !S
    stage.copy %b[%k, %j] to %y : !V, !S
    scf.for %p = %c0 to %c64 step %c16 {
      scf.for %q = %c0 to %c64 step %c16 {
        scf.for %r = %c0 to %c64 step %c16 {
          stage.product %x[%p, %r], %y[%r, %q], %acc[%p, %q] block [16, 16, 16] by @mac16 : !S, !S, !C
        }
      }
    }
  }
  stage.compute [64, 64] {
    %s = stage.read %acc : !C -> tensor<64x64xf32>
    %o = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    stage.write %o, %out : tensor<64x64xbf16>, !S
  }
  stage.copy %out to %c[%i, %j] : !S, !V
}
