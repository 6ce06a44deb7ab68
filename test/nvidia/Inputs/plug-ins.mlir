tile.kernel @k(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<1xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<256xf32>
  %e = math.exp %t : tensor<256xf32>
  %s = tile.reduce %e axis 0 : tensor<256xf32> -> tensor<f32> { ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %v = tile.reshape %s : tensor<f32> -> tensor<1xf32>
  tile.store %v, %y[%c0] : tensor<1xf32>, !tile.view<1xf32>
}
