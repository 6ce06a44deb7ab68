// A product in bf16 at the tile level, for any sizes.
!V = !tile.view<?x?xbf16>
tile.kernel @product(%a: !V, %b: !V, %c: !V) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %n = tile.num_blocks %a[1] by 64 : !V
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[%i, %k] : !V -> tensor<128x64xbf16>
    %y = tile.load %b[%k, %j] : !V -> tensor<64x256xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  %o = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
  tile.store %o, %c[%i, %j] : tensor<128x256xbf16>, !V
}
