// a * b in bf16 with a ring of four slots of 48 KiB: three of them are filled ahead of the one that is multiplied into registers.
!V = !tile.view<?x?xbf16>
#swizzled = #stage.space<"shared", permute = {swizzle = 128 : i64}>
!X = memref<128x64xbf16, #swizzled>
!Y = memref<64x256xbf16, #swizzled>
!F = tensor<128x256xf32, {matrix = [64, 256, 16]}>
!O = tensor<128x256xbf16, {matrix = [64, 256, 16]}>
!R = !stage.ring<4 x (!X, !Y)>
tile.kernel @product(%a: !V, %b: !V, %c: !V) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : !F
  %n = tile.num_blocks %a[1] by 64 : !V
  %ring = stage.ring {align = 1024 : i64, offset = 0 : i64} : !R
  %first = arith.minsi %n, %c3 : index
  scf.for %k = %c0 to %first step %c1 {
    stage.produce %ring -> (%x, %y) : !R {
      %t = stage.copy async %a[%i, %k] to %x : !V, !X
      %u = stage.copy async %b[%k, %j] to %y : !V, !Y
      stage.commit %t, %u
    }
  }
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (!F) {
    %next = arith.addi %k, %c3 : index
    %fill = arith.cmpi slt, %next, %n : index
    scf.if %fill {
      stage.produce %ring -> (%x, %y) : !R {
        %t = stage.copy async %a[%i, %next] to %x : !V, !X
        %u = stage.copy async %b[%next, %j] to %y : !V, !Y
        stage.commit %t, %u
      }
    }
    %x, %y = stage.consume %ring : !R
    %f = stage.product async %x, %y, %s by @m64n256k16 : !X, !Y, !F
    %d = stage.wait %f : !stage.future<!F> keep %x, %y : !X, !Y
    stage.release %ring : !R
    scf.yield %d : !F
  }
  %o = arith.truncf %acc : !F to !O
  tile.store %o, %c[%i, %j] : !O, !V
}
