// c = leaky_relu(a * b) in bf16 with f32 sums, for any sizes: blocks past the
// edges read zeros and write nothing. Grid: blocks of 64 rows, blocks of 128 columns.
tile.kernel @matmul_leaky_relu(%a: !tile.view<?x?xbf16> {tile.facts = {readonly}}, %b: !tile.view<?x?xbf16> {tile.facts = {readonly}},
                               %c: !tile.view<?x?xbf16> {tile.facts = {noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %slope = arith.constant dense<0.01> : tensor<64x128xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xbf16>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  %scaled = arith.mulf %acc, %slope : tensor<64x128xf32>
  %relu = arith.maximumf %acc, %scaled : tensor<64x128xf32>
  %out = arith.truncf %relu : tensor<64x128xf32> to tensor<64x128xbf16>
  tile.store %out, %c[%i, %j] : tensor<64x128xbf16>, !tile.view<?x?xbf16>
}
