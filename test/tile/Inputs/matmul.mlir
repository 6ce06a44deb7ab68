// 100x200 times 200x300, blocks of 64x128x64.
tile.kernel @matmul(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<64x128xf32>
    %d = tile.dot %x, %y, %s : tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x128xf32>, !tile.view<?x?xf32>
}
program.func @main(%a: memref<100x200xf32>, %b: memref<200x300xf32>) -> memref<100x300xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c = program.alloc : memref<100x300xf32>
  program.launch [@matmul] grid (%c2, %c3, %c1) args (%a, %b, %c) writes [2] : memref<100x200xf32>, memref<200x300xf32>, memref<100x300xf32>
  program.return %c : memref<100x300xf32>
}
