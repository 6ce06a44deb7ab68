// Sums of rows by a fold that a plug-in adds.
tile.kernel @sums(%a: !tile.view<?x?xf32>, %c: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%i, %c0] : !tile.view<?x?xf32> -> tensor<1x64xf32>
  %two = arith.constant dense<2.0> : tensor<1x64xf32>
  %y = arith.addf %x, %two : tensor<1x64xf32>
  %s = folds.rows %y : tensor<1x64xf32> -> tensor<1xf32> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tile.yield %t : f32
  }
  tile.store %s, %c[%i] : tensor<1xf32>, !tile.view<?xf32>
}
