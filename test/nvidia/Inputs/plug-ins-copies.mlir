tile.kernel @k(%a: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
               %b: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>}, %c: !tile.view<?x?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf16>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
