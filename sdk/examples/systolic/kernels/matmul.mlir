// c = a * b, 64 x 64 an instance, for any sizes.
// kiln-run: --grid=2,2 --arg=random:1:f32:100x300 --arg=random:2:f32:300x90 --arg=zeros:f32:100x90
tile.kernel @matmul(%a: !tile.view<?x?xf32> {tile.facts = {readonly}}, %b: !tile.view<?x?xf32> {tile.facts = {readonly}},
                    %c: !tile.view<?x?xf32> {tile.facts = {noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<32x64xf32>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
