// A contraction with two dimensions of rows.
tile.kernel @two(%a: !tile.view<?x?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0, %c0] : !tile.view<?x?x?xf32> -> tensor<2x16x32xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x16xf32>
  %zero = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %d = mine.contract %x, %y to %zero : tensor<2x16x16xf32> {lhs_map = affine_map<(a, m, n, k) -> (a, m, k)>, rhs_map = affine_map<(a, m, n, k) -> (k, n)>}
     : tensor<2x16x32xf32>, tensor<32x16xf32> -> tensor<2x16x16xf32>
  tile.store %d, %c[%c0, %c0, %c0] : tensor<2x16x16xf32>, !tile.view<?x?x?xf32>
}
