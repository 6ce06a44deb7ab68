// Rows of a table that a list names, by numbers that are read of a tile; each is scaled by the largest element of the row.
tile.kernel @lookup(%rows: !tile.view<?xi32>, %table: !tile.view<?x64xf32>, %out: !tile.view<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i = tile.program_id : index
  %list = tile.load %rows[%i] : !tile.view<?xi32> -> tensor<4xi32>
  %first = arith.muli %i, %c4 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %number = tensor.extract %list[%j] : tensor<4xi32>
    %row = arith.index_cast %number : i32 to index
    %x = tile.load %table at [%row, %c0] : !tile.view<?x64xf32> -> tensor<64xf32>
    %most = tile.reduce %x axis 0 : tensor<64xf32> -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      tile.yield %m : f32
    }
    %s = tensor.extract %most[] : tensor<f32>
    %all = tile.splat %s : tensor<64xf32>
    %y = arith.mulf %x, %all : tensor<64xf32>
    %at = arith.addi %first, %j : index
    tile.store %y, %out at [%at, %c0] : tensor<64xf32>, !tile.view<?x64xf32>
  }
}
