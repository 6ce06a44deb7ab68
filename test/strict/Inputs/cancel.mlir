// Most of the sum is taken away again: errors that are small beside it are large beside the result.
tile.kernel @rest(%x: !tile.view<?x?xf32> {tile.readonly}, %most: !tile.view<?xf32> {tile.readonly},
                  %y: !tile.view<?xf32> {tile.noalias}) attributes {numerics = #tile.numerics<contract = true>} {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<64xf32>
  %s = tile.reduce %a axis 0 : tensor<64xf32> -> tensor<f32> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tile.yield %t : f32
  }
  %m = tile.load %most[%i] : !tile.view<?xf32> -> tensor<1xf32>
  %f = tile.reshape %s : tensor<f32> -> tensor<1xf32>
  %n = arith.negf %m : tensor<1xf32>
  %d = arith.addf %f, %n : tensor<1xf32>
  tile.store %d, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
}
