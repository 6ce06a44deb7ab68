// Loads whose lanes lie along a dimension of stride 0 read one element, and pad the lanes outside of the view.
// RUN: kiln-run %s --target=cpu --check --entry=columns --grid=1 --arg=random:1:f32:4 --arg=zeros:f32:4x16
// RUN: kiln-run %s --target=cpu --check --entry=narrow --grid=1 --arg=random:1:bf16:4 --arg=zeros:bf16:4x16
// RUN: kiln-run %s --target=cpu --check --entry=before --grid=1 --arg=random:1:f32:4 --arg=zeros:f32:4x16
// RUN: kiln-run %s --target=cpu --check --entry=chosen --grid=1 --arg=random:1:f32:4 --arg=i32:2 --arg=zeros:f32:1x16

tile.kernel @columns(%x: !tile.ptr<f32>, %y: !tile.view<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %w = tile.make_view %x : !tile.ptr<f32> -> !tile.view<4x5xf32, strides = [1, 0]>
  %p = arith.constant 7.0 : f32
  %v = tile.load %w[%c0, %c0] pad %p : f32 : !tile.view<4x5xf32, strides = [1, 0]> -> tensor<4x16xf32>
  tile.store %v, %y[%c0, %c0] : tensor<4x16xf32>, !tile.view<4x16xf32>
}

tile.kernel @narrow(%x: !tile.ptr<bf16>, %y: !tile.view<4x16xbf16>) {
  %c0 = arith.constant 0 : index
  %w = tile.make_view %x : !tile.ptr<bf16> -> !tile.view<4x5xbf16, strides = [1, 0]>
  %p = arith.constant 7.0 : bf16
  %v = tile.load %w[%c0, %c0] pad %p : bf16 : !tile.view<4x5xbf16, strides = [1, 0]> -> tensor<4x16xbf16>
  tile.store %v, %y[%c0, %c0] : tensor<4x16xbf16>, !tile.view<4x16xbf16>
}

// Lanes before the view, too, and rows behind it.
tile.kernel @before(%x: !tile.ptr<f32>, %y: !tile.view<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %w = tile.make_view %x : !tile.ptr<f32> -> !tile.view<4x5xf32, strides = [1, 0]>
  %c2 = arith.constant 2 : index
  %c-3 = arith.constant -3 : index
  %p = arith.constant 7.0 : f32
  %v = tile.load %w at [%c2, %c-3] pad %p : f32 : !tile.view<4x5xf32, strides = [1, 0]> -> tensor<4x16xf32>
  tile.store %v, %y[%c0, %c0] : tensor<4x16xf32>, !tile.view<4x16xf32>
}

// A row chosen by an index.
tile.kernel @chosen(%x: !tile.ptr<f32>, %i: i32, %y: !tile.view<1x16xf32>) {
  %c0 = arith.constant 0 : index
  %w = tile.make_view %x : !tile.ptr<f32> -> !tile.view<4x5xf32, strides = [1, 0]>
  %p = arith.constant 7.0 : f32
  %k = tile.splat %i : tensor<1xi32>
  %v = tile.load_gather %w[%c0] dim 0 by %k pad %p : f32 : !tile.view<4x5xf32, strides = [1, 0]>, tensor<1xi32> -> tensor<1x16xf32>
  tile.store %v, %y[%c0, %c0] : tensor<1x16xf32>, !tile.view<1x16xf32>
}
