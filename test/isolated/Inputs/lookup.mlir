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
// A constant whose elements differ.
tile.kernel @steps(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<6xf32>
  %c = arith.constant dense<[0.5, 0.5, -1.0, 2.0, 2.0, 2.0]> : tensor<6xf32>
  %b = arith.mulf %a, %c : tensor<6xf32>
  tile.store %b, %y[%i] : tensor<6xf32>, !tile.view<?xf32>
}
tile.kernel @many(%x: !tile.view<65xi32>) {
  %c0 = arith.constant 0 : index
  %c = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64]> : tensor<65xi32>
  tile.store %c, %x[%c0] : tensor<65xi32>, !tile.view<65xi32>
}
// How many elements stand in front of the first zero.
tile.kernel @until(%x: !tile.view<?xi32>, %y: !tile.view<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  %n = tile.dim %x[0] : !tile.view<?xi32>
  %found:2 = scf.while (%i = %c0, %go = %true) : (index, i1) -> (index, i1) {
    %a = tile.load %x at [%i] : !tile.view<?xi32> -> tensor<1xi32>
    %v = tensor.extract %a[%c0] : tensor<1xi32>
    %other = arith.cmpi ne, %v, %zero : i32
    %inside = arith.cmpi slt, %i, %n : index
    %both = arith.andi %other, %inside : i1
    %all = arith.andi %both, %go : i1
    scf.condition(%all) %i, %go : index, i1
  } do {
  ^bb0(%j: index, %h: i1):
    %k = arith.addi %j, %c1 : index
    scf.yield %k, %h : index, i1
  }
  %count = arith.index_cast %found#0 : index to i32
  %t = tile.splat %count : tensor<1xi32>
  tile.store %t, %y[%c0] : tensor<1xi32>, !tile.view<1xi32>
}
