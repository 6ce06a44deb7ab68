// %sums = row sums of (x + y): one kernel that a simple machine can run, and one
// that it cannot.
tile.kernel private @add(%x: !tile.view<40x300xf32>, %y: !tile.view<40x300xf32>, %z: !tile.view<40x300xf32>) {
  %i, %j = tile.program_id : index, index
  %a = tile.load %x[%i, %j] : !tile.view<40x300xf32> -> tensor<8x64xf32>
  %b = tile.load %y[%i, %j] : !tile.view<40x300xf32> -> tensor<8x64xf32>
  %c = arith.addf %a, %b : tensor<8x64xf32>
  tile.store %c, %z[%i, %j] : tensor<8x64xf32>, !tile.view<40x300xf32>
}

tile.kernel private @sums(%x: !tile.view<40x300xf32>, %z: !tile.view<40xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<40x300xf32> -> tensor<8x512xf32>
  %s = tile.reduce %a axis 1 : tensor<8x512xf32> -> tensor<8xf32> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tile.yield %t : f32
  }
  tile.store %s, %z[%i] : tensor<8xf32>, !tile.view<40xf32>
}

program.func @main(%x: memref<40x300xf32>, %y: memref<40x300xf32>) -> memref<40xf32> {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %sum = program.alloc : memref<40x300xf32>
  program.launch [@add] grid (%c5, %c5, %c1) args (%x, %y, %sum) writes [2] : memref<40x300xf32>, memref<40x300xf32>, memref<40x300xf32>
  %z = program.alloc : memref<40xf32>
  program.launch [@sums] grid (%c5, %c1, %c1) args (%sum, %z) writes [1] : memref<40x300xf32>, memref<40xf32>
  program.return %z : memref<40xf32>
}
