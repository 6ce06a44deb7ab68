// Views of indices, and scans of indices: elements of 64 bits.
// RUN: kiln-run %s --entry=positions --target=cpu --grid=3 --arg=zeros:index:24 --save=0:%t.npy --check | FileCheck %s
// RUN: %python -c "import numpy; print(numpy.load('%t.npy').tolist())" | FileCheck %s --check-prefix=VALUES
// CHECK: ok
// VALUES: [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 4, 6, 8, 10, 12, 14, 16]
tile.kernel @positions(%x: !tile.view<?xindex>) {
  %i = tile.program_id : index
  %t = tile.splat %i : tensor<8xindex>
  %sums = tile.scan %t axis 0 : tensor<8xindex> -> tensor<8xindex> {
  ^bb0(%a: index, %b: index):
    %s = arith.addi %a, %b : index
    tile.yield %s : index
  }
  tile.store %sums, %x[%i] : tensor<8xindex>, !tile.view<?xindex>
}
