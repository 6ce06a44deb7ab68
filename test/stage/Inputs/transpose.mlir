// Two passes over storage in place, at two origins that are one.
!S = memref<16x16xf32, #stage.space<"l1">>
tile.kernel @twice(%x: !tile.view<16x16xf32>, %y: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %i = tile.program_id : index
  %s = stage.alloc : !S
  stage.compute [16, 16] {
    %a = tile.load %x[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
    stage.write %a, %s : tensor<16x16xf32>, !S
  }
  stage.compute [16, 16] {
    %a = stage.read %s[%i, %i] : !S -> tensor<16x16xf32>
    %b = arith.addf %a, %a : tensor<16x16xf32>
    stage.write %b, %s[%c0, %c0] : tensor<16x16xf32>, !S
  }
  stage.compute [16, 16] {
    %a = stage.read %s : !S -> tensor<16x16xf32>
    tile.store %a, %y[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
  }
}
