// Operands of a product that are read as one row and reshaped: a panel may be
// narrower than a vector, which then begins in the tile and ends behind it.
// RUN: kiln-run %s --target=cpu --grid=1 --arg=random:1:f32:2048 --arg=random:2:f32:2048 --arg=zeros:f32:2048 --check
// RUN: kiln-run %s --target=cpu:x86-64-v3 --grid=1 --arg=random:1:f32:2048 --arg=random:2:f32:2048 --arg=zeros:f32:2048 --check
tile.kernel @batched(%a: !tile.view<2048xf32> {tile.readonly}, %b: !tile.view<2048xf32> {tile.readonly},
                     %c: !tile.view<2048xf32>) {
  %first = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<2x32x32xf32>
  %x = tile.load %a at [%first] : !tile.view<2048xf32> -> tensor<2048xf32>
  %y = tile.load %b at [%first] : !tile.view<2048xf32> -> tensor<2048xf32>
  %left = tile.reshape %x : tensor<2048xf32> -> tensor<2x32x32xf32>
  %right = tile.reshape %y : tensor<2048xf32> -> tensor<2x32x32xf32>
  %product = tile.dot %left, %right, %zero : tensor<2x32x32xf32>, tensor<2x32x32xf32>, tensor<2x32x32xf32>
  %row = tile.reshape %product : tensor<2x32x32xf32> -> tensor<2048xf32>
  tile.store %row, %c at [%first] : tensor<2048xf32>, !tile.view<2048xf32>
}
