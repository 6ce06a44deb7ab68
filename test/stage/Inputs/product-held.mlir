// a * b in bf16 with a ring of two slots, multiplied into registers. The product of a step is waited for
// in the next step, so that the ring holds a slot behind each release. There is at least one step.
!V = !tile.view<?x?xbf16>
#swizzled = #stage.space<"shared", permute = {swizzle = 128 : i64}>
!X = memref<128x64xbf16, #swizzled>
!Y = memref<64x256xbf16, #swizzled>
!F = tensor<128x256xf32, {matrix = [64, 256, 16]}>
!O = tensor<128x256xbf16, {matrix = [64, 256, 16]}>
!R = !stage.ring<2 x (!X, !Y)>
tile.kernel @product(%a: !V, %b: !V, %c: !V) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !F
  %n = tile.num_blocks %a[1] by 64 : !V
  %ring = stage.ring {align = 1024 : i64, held = 1 : i64, offset = 0 : i64} : !R
  stage.produce %ring -> (%x, %y) : !R {
    %t = stage.copy async %a[%i, %c0] to %x : !V, !X
    %u = stage.copy async %b[%c0, %j] to %y : !V, !Y
    stage.commit %t, %u
  }
  %x0, %y0 = stage.consume %ring : !R
  %f0 = stage.product async %x0, %y0, %zero by @m64n256k16 : !X, !Y, !F
  stage.release %ring : !R
  %last = scf.for %k = %c1 to %n step %c1 iter_args(%f = %f0) -> (!stage.future<!F>) {
    %d = stage.wait %f : !stage.future<!F>
    stage.produce %ring -> (%x, %y) : !R {
      %t = stage.copy async %a[%i, %k] to %x : !V, !X
      %u = stage.copy async %b[%k, %j] to %y : !V, !Y
      stage.commit %t, %u
    }
    %x, %y = stage.consume %ring : !R
    %g = stage.product async %x, %y, %d by @m64n256k16 : !X, !Y, !F
    stage.release %ring : !R
    scf.yield %g : !stage.future<!F>
  }
  %acc = stage.wait %last : !stage.future<!F>
  %o = arith.truncf %acc : !F to !O
  tile.store %o, %c[%i, %j] : !O, !V
}
