// One program on both devices: each doubles and adds half of a vector, and the first joins them.
!V = !tile.view<?xf32>
tile.kernel private @double(%x: !V {tile.facts = {readonly}}, %y: !V {tile.facts = {noalias}}) {
  %i = tile.program_id : index
  %v = tile.load %x[%i] : !V -> tensor<256xf32>
  %w = arith.addf %v, %v : tensor<256xf32>
  tile.store %w, %y[%i] : tensor<256xf32>, !V
}
tile.kernel private @add(%x: !V {tile.facts = {readonly}}, %y: !V {tile.facts = {readonly}}, %z: !V {tile.facts = {noalias}}) {
  %i = tile.program_id : index
  %v = tile.load %x[%i] : !V -> tensor<256xf32>
  %w = tile.load %y[%i] : !V -> tensor<256xf32>
  %s = arith.addf %v, %w : tensor<256xf32>
  tile.store %s, %z[%i] : tensor<256xf32>, !V
}
program.func @main(%x: memref<1000xf32>, %y: memref<1000xf32>) -> memref<1000xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %here = program.alloc : memref<1000xf32>
  program.launch [@double] grid (%c4, %c1, %c1) args (%x, %here) writes [1] : memref<1000xf32>, memref<1000xf32>
  %there = program.transfer %y to "systolic" ordinal 1 : memref<1000xf32> -> memref<1000xf32>
  %made = program.alloc on "systolic" ordinal 1 : memref<1000xf32>
  program.launch [@double] grid (%c4, %c1, %c1) args (%there, %made) writes [1] {device = "systolic", ordinal = 1 : i64}
    : memref<1000xf32>, memref<1000xf32>
  %back = program.transfer %made to "systolic" ordinal 0 : memref<1000xf32> -> memref<1000xf32>
  %sum = program.alloc : memref<1000xf32>
  program.launch [@add] grid (%c4, %c1, %c1) args (%here, %back, %sum) writes [2]
    : memref<1000xf32>, memref<1000xf32>, memref<1000xf32>
  program.return %sum : memref<1000xf32>
}
