// On a machine whose launches have one axis (`grid_axes = 1`), a block computes its three coordinates from its number along x: so does
// the target reference when it runs the code of threads.
// RUN: kiln-run %s --load-target=%S/Inputs/one-axis.mlir --target=reference,threads=flat --check --no-fallback --grid=3,2,2 \
// RUN:   --arg=zeros:i64:3x2x2 --save=0:%t.npy
// RUN: /usr/bin/python3 -c "import struct; data = open('%t.npy', 'rb').read()[-96:]; assert struct.unpack('<12q', data) == tuple(range(100, 112))"

// y[i, j, k] = 100 + the number of the instance.
tile.kernel @numbers(%y: !tile.view<?x?x?xi64> {tile.noalias}) {
  %i, %j, %k = tile.program_id : index, index, index
  %m, %n, %p = tile.num_programs : index, index, index
  %c100 = arith.constant 100 : index
  %rows = arith.muli %i, %n : index
  %row = arith.addi %rows, %j : index
  %planes = arith.muli %row, %p : index
  %plane = arith.addi %planes, %k : index
  %number = arith.addi %plane, %c100 : index
  %value = arith.index_cast %number : index to i64
  %tile = tile.splat %value : tensor<1x1x1xi64>
  tile.store %tile, %y[%i, %j, %k] : tensor<1x1x1xi64>, !tile.view<?x?x?xi64>
}
