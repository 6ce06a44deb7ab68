// c = a * b in f16 with f32 sums: by the matrix instruction, with operands copied ahead.
// kiln-run: --grid=3,2 --arg=random:1:f16:150x72 --arg=random:2:f16:72x120 --arg=zeros:f32:150x120
tile.kernel @product(%a: !tile.view<?x?xf16> {tile.facts = {readonly}}, %b: !tile.view<?x?xf16> {tile.facts = {readonly}},
                     %c: !tile.view<?x?xf32> {tile.facts = {noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf16>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %s : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
