// Each instance moves the block of its place in bands to that of its number, counted from the end.
tile.kernel @bands(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.instance_id : index
  %nx, %ny, %nz = tile.num_programs : index, index, index
  %i, %j, %k = tile.grid_coordinates %n in (%nx, %ny, %nz) bands 2 along 1
  %blocks = tile.num_blocks %x[1] by 8 : !tile.view<?x?xf32>
  %last = arith.subi %blocks, %c1 : index
  %column = arith.minsi %j, %last : index
  %plane = arith.muli %nx, %ny : index
  %all = arith.muli %plane, %nz : index
  %behind = arith.subi %all, %n : index
  %row = arith.subi %behind, %c1 : index
  %a = tile.load %x[%i, %column] : !tile.view<?x?xf32> -> tensor<4x8xf32>
  tile.store %a, %y[%row, %c0] : tensor<4x8xf32>, !tile.view<?x?xf32>
}
// The same in the order of the grid.
tile.kernel @plain(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tile.instance_id : index
  %nx, %ny, %nz = tile.num_programs : index, index, index
  %i, %j, %k = tile.grid_coordinates %n in (%nx, %ny, %nz)
  %a = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> tensor<4x8xf32>
  tile.store %a, %y[%n, %c0] : tensor<4x8xf32>, !tile.view<?x?xf32>
}
