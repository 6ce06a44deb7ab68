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
// Elements that are combined by several operations, two tiles together: the largest of each row, and where it stands; the largest up to
// each element, from the end.
tile.kernel @pairs(%x: !tile.view<6x7x3xf32> {tile.readonly}, %y: !tile.view<6x3xf32>, %z: !tile.view<6x3xi32>, %w: !tile.view<6x7x3xi32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0, %c0] : !tile.view<6x7x3xf32> -> tensor<6x7x3xf32>
  %i = tile.iota 1 : tensor<6x7x3xi32>
  %most:2 = tile.reduce %a, %i axis 1 : tensor<6x7x3xf32>, tensor<6x7x3xi32> -> tensor<6x3xf32>, tensor<6x3xi32> {
  ^bb0(%p: f32, %i0: i32, %q: f32, %i1: i32):
    %more = arith.cmpf ogt, %p, %q : f32
    %same = arith.cmpf oeq, %p, %q : f32
    %before = arith.cmpi slt, %i0, %i1 : i32
    %first = arith.andi %same, %before : i1
    %left = arith.ori %more, %first : i1
    %m = arith.select %left, %p, %q : f32
    %n = arith.select %left, %i0, %i1 : i32
    tile.yield %m, %n : f32, i32
  }
  tile.store %most#0, %y[%c0, %c0] : tensor<6x3xf32>, !tile.view<6x3xf32>
  tile.store %most#1, %z[%c0, %c0] : tensor<6x3xi32>, !tile.view<6x3xi32>
  %all:2 = tile.scan %a, %i axis 1 reverse : tensor<6x7x3xf32>, tensor<6x7x3xi32> -> tensor<6x7x3xf32>, tensor<6x7x3xi32> {
  ^bb0(%p: f32, %i0: i32, %q: f32, %i1: i32):
    %left = arith.cmpf ogt, %p, %q : f32
    %m = arith.select %left, %p, %q : f32
    %n = arith.select %left, %i0, %i1 : i32
    tile.yield %m, %n : f32, i32
  }
  tile.store %all#1, %w[%c0, %c0, %c0] : tensor<6x7x3xi32>, !tile.view<6x7x3xi32>
}
// Stores that add to what is there.
tile.kernel @added(%x: !tile.view<6x7x3xf32> {tile.readonly}, %y: !tile.view<6x7x3xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0, %c0] : !tile.view<6x7x3xf32> -> tensor<6x7x3xf32>
  tile.store %a, %y[%c0, %c0, %c0] : tensor<6x7x3xf32>, !tile.view<6x7x3xf32>
  tile.store %a, %y[%c0, %c0, %c0] combine add : tensor<6x7x3xf32>, !tile.view<6x7x3xf32>
  tile.store %a, %y[%c0, %c0, %c0] combine add : tensor<6x7x3xf32>, !tile.view<6x7x3xf32>
}
// A tile of another shape lies where it did, unless something else reads it in the first shape.
tile.kernel @reshaped(%x: !tile.view<6x7x3xf32> {tile.readonly}, %y: !tile.view<42x3xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0, %c0] : !tile.view<6x7x3xf32> -> tensor<6x7x3xf32>
  %b = tile.reshape %a : tensor<6x7x3xf32> -> tensor<42x3xf32>
  %c = arith.subf %b, %b : tensor<42x3xf32>
  %d = arith.subf %c, %b : tensor<42x3xf32>
  tile.store %d, %y[%c0, %c0] : tensor<42x3xf32>, !tile.view<42x3xf32>
}
tile.kernel @kept(%x: !tile.view<6x7x3xf32> {tile.readonly}, %y: !tile.view<42x3xf32>, %z: !tile.view<6x7x3xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0, %c0] : !tile.view<6x7x3xf32> -> tensor<6x7x3xf32>
  %b = tile.reshape %a : tensor<6x7x3xf32> -> tensor<42x3xf32>
  %c = arith.subf %b, %b : tensor<42x3xf32>
  tile.store %c, %y[%c0, %c0] : tensor<42x3xf32>, !tile.view<42x3xf32>
  tile.store %a, %z[%c0, %c0, %c0] : tensor<6x7x3xf32>, !tile.view<6x7x3xf32>
}
