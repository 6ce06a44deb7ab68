// a * b in bf16 on a machine with a scratchpad of 64 KiB and a unit for 16x16x16: an accumulator of 16 KiB, two slots of
// 16 KiB, a result of 8 KiB. Iteration k fills block k and multiplies block k - 1.
!V = !tile.view<?x?xbf16>
!S = memref<64x64xbf16, #stage.space<"pad">>
!C = memref<64x64xf32, #stage.space<"pad">>
!R = !stage.ring<2 x (!S, !S)>
tile.kernel @product(%a: !V, %b: !V, %c: !V) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %n = tile.num_blocks %a[1] by 64 : !V
  %end = arith.addi %n, %c1 : index
  %acc = stage.alloc {offset = 0 : i64} : !C
  %ring = stage.ring {offset = 16384 : i64} : !R
  %out = stage.alloc {offset = 49152 : i64} : !S
  stage.compute [64, 64] {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    stage.write %z, %acc : tensor<64x64xf32>, !C
  }
  scf.for %k = %c0 to %end step %c1 {
    %fill = arith.cmpi slt, %k, %n : index
    scf.if %fill {
      stage.produce %ring -> (%x, %y) : !R {
        %t = stage.copy async %a[%i, %k] to %x : !V, !S
        %u = stage.copy async %b[%k, %j] to %y : !V, !S
        stage.commit %t, %u
      }
    }
    %use = arith.cmpi sgt, %k, %c0 : index
    scf.if %use {
      %x, %y = stage.consume %ring : !R
      scf.for %p = %c0 to %c64 step %c16 {
        scf.for %q = %c0 to %c64 step %c16 {
          scf.for %r = %c0 to %c64 step %c16 {
            stage.product %x[%p, %r], %y[%r, %q], %acc[%p, %q] block [16, 16, 16] by @mac16 : !S, !S, !C
          }
        }
      }
      stage.release %ring : !R
    }
  }
  stage.compute [64, 64] {
    %s = stage.read %acc : !C -> tensor<64x64xf32>
    %o = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    stage.write %o, %out : tensor<64x64xbf16>, !S
  }
  %d = stage.copy async %out to %c[%i, %j] : !S, !V
  stage.wait %d
}
