// A kernel that asks for the size of a dimension.
tile.kernel @last(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) {
  %n = tile.dim %a[0] : !tile.view<?xf32>
  %x = tile.load %a[%n] : !tile.view<?xf32> -> tensor<16xf32>
  tile.store %x, %b[%n] : tensor<16xf32>, !tile.view<?xf32>
}
