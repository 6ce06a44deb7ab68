// The same with factors of bf16, which the matrix unit multiplies as they are, and a result that is rounded to bf16.
// kiln-run: --grid=2,2 --arg=random:1:bf16:100x300 --arg=random:2:bf16:300x90 --arg=zeros:bf16:100x90
tile.kernel @matmul(%a: !tile.view<?x?xbf16> {tile.facts = {readonly}}, %b: !tile.view<?x?xbf16> {tile.facts = {readonly}},
                    %c: !tile.view<?x?xbf16> {tile.facts = {noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xbf16> -> tensor<64x32xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xbf16> -> tensor<32x64xbf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %narrow = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %narrow, %c[%i, %j] : tensor<64x64xbf16>, !tile.view<?x?xbf16>
}
