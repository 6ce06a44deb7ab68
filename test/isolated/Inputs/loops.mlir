// One loop whose loads may begin early, and one that stores.
tile.kernel @product(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<32x32xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<32x16xf32>
    %next = arith.addi %k, %c1 : index
    %y = tile.load %b[%next, %j] : !tile.view<?x?xf32> -> tensor<16x32xf32>
    %d = tile.dot %x, %y, %s : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<32x32xf32>, !tile.view<?x?xf32>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<32x16xf32>
    tile.store %x, %c[%i, %k] : tensor<32x16xf32>, !tile.view<?x?xf32>
    scf.yield %k : index
  }
  %z = scf.for %k = %c0 to %n step %c1 iter_args(%s = %last) -> (index) {
    %x = tile.load %a[%i, %s] : !tile.view<?x?xf32> -> tensor<32x16xf32>
    scf.yield %k : index
  }
}
