// Elements that meet others of their tile.
tile.kernel @rows(%x: !tile.view<6x7x3xf32> {tile.readonly}, %y: !tile.view<6x3xf32>, %z: !tile.view<7x6x3xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0, %c0] : !tile.view<6x7x3xf32> -> tensor<6x7x3xf32>
  %most = tile.reduce %a axis 1 : tensor<6x7x3xf32> -> tensor<6x3xf32> {
  ^bb0(%p: f32, %q: f32):
    %m = arith.maximumf %p, %q : f32
    tile.yield %m : f32
  }
  %column = tile.reshape %most : tensor<6x3xf32> -> tensor<6x1x3xf32>
  %wide = tile.broadcast %column : tensor<6x1x3xf32> -> tensor<6x7x3xf32>
  %b = arith.subf %a, %wide : tensor<6x7x3xf32>
  %sums = tile.reduce %b axis 1 : tensor<6x7x3xf32> -> tensor<6x3xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tile.yield %s : f32
  }
  tile.store %sums, %y[%c0, %c0] : tensor<6x3xf32>, !tile.view<6x3xf32>
  %t = tile.transpose %b [1, 0, 2] : tensor<6x7x3xf32> -> tensor<7x6x3xf32>
  tile.store %t, %z[%c0, %c0, %c0] : tensor<7x6x3xf32>, !tile.view<7x6x3xf32>
}
