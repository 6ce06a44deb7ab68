// A product of any size over a grid in groups of 8 rows of blocks.
tile.kernel @grouped(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %pid = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %nm = tile.num_blocks %a[0] by 64 : !tile.view<?x?xf32>
  %nn = tile.num_blocks %b[1] by 128 : !tile.view<?x?xf32>
  %group = arith.muli %c8, %nn : index
  %gid = arith.divsi %pid, %group : index
  %first = arith.muli %gid, %c8 : index
  %left = arith.subi %nm, %first : index
  %size = arith.minsi %left, %c8 : index
  %inner = arith.remsi %pid, %group : index
  %r = arith.remsi %inner, %size : index
  %i = arith.addi %first, %r : index
  %j = arith.divsi %inner, %size : index
  %m0 = arith.muli %i, %c64 : index
  %n0 = arith.muli %j, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %size_k = tile.dim %a[1] : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %size_k step %c32 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a at [%m0, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %y = tile.load %b at [%k, %n0] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %d = tile.dot %x, %y, %s : tensor<64x32xf32>, tensor<32x128xf32>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x128xf32>, !tile.view<?x?xf32>
}
program.func @main(%a: memref<?x?xf32>, %b: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  %gm = arith.ceildivsi %m, %c64 : index
  %gn = arith.ceildivsi %n, %c128 : index
  %g = arith.muli %gm, %gn : index
  %c = program.alloc sizes (%m, %n) : memref<?x?xf32>
  program.launch [@grouped] grid (%g, %c1, %c1) args (%a, %b, %c) writes [2] : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  program.return %c : memref<?x?xf32>
}
