// Each element plus its position, in place over a loop, and a shifted window.
tile.kernel @positions(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c3 = arith.constant 3 : index
  %n = tile.num_blocks %y[0] by 64 : !tile.view<?xf32>
  scf.for %k = %c0 to %n step %c1 {
    %p = arith.muli %k, %c64 : index
    %q = arith.subi %p, %c3 : index
    %s = tile.splat %p : tensor<64xindex>
    %i = tile.iota 0 : tensor<64xindex>
    %at = arith.addi %s, %i : tensor<64xindex>
    %j = arith.index_cast %at : tensor<64xindex> to tensor<64xi32>
    %f = arith.sitofp %j : tensor<64xi32> to tensor<64xf32>
    %t = tile.load %x at [%q] : !tile.view<?xf32> -> tensor<64xf32>
    %u = arith.addf %t, %f : tensor<64xf32>
    tile.store %u, %y[%k] : tensor<64xf32>, !tile.view<?xf32>
  }
}
program.func @main(%x: memref<1000xf32>) -> memref<1000xf32> {
  %c1 = arith.constant 1 : index
  %y = program.alloc : memref<1000xf32>
  program.launch [@positions] grid (%c1, %c1, %c1) args (%x, %y) writes [1] : memref<1000xf32>, memref<1000xf32>
  program.return %y : memref<1000xf32>
}
