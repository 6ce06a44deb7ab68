// A product of a value by itself, forty times in a row, has 2^40 factors. The analysis looks at a few of them.
// RUN: awk '/^  .. REPEATED/ {for (i = 0; i < 40; ++i) print "  %%g" i + 1 " = arith.muli %%g" i ", %%g" i " : index"; next} {print}' %s > %t.mlir
// RUN: grep -q '%%g40 = arith.muli %%g39, %%g39' %t.mlir
// RUN: kiln-opt %t.mlir -tile-raise -o /dev/null 2>&1 | FileCheck %s
// CHECK: remark: tile.kernel @chain is not structured: coordinate 0 of 'tile.load' is not affine in grid and loop indices
tile.kernel @chain(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>) {
  %pid = tile.program_id : index
  %c8 = arith.constant 8 : index
  %nm = tile.num_blocks %a[0] by 64 : !tile.view<?x?xf32>
  %nn = tile.num_blocks %a[1] by 64 : !tile.view<?x?xf32>
  %g0 = arith.muli %c8, %nn : index
  // REPEATED
  %gid = arith.divsi %pid, %g40 : index
  %first = arith.muli %gid, %c8 : index
  %left = arith.subi %nm, %first : index
  %size = arith.minsi %left, %c8 : index
  %inner = arith.remsi %pid, %g40 : index
  %r = arith.remsi %inner, %size : index
  %i = arith.addi %first, %r : index
  %j = arith.divsi %inner, %size : index
  %x = tile.load %a[%i, %j] : !tile.view<?x?xf32> -> tensor<64x64xf32>
  tile.store %x, %b[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
