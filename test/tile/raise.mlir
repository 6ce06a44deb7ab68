// RUN: kiln-opt %s -split-input-file -tile-raise -o /dev/null 2>&1 | FileCheck %s

// CHECK-LABEL: tile.kernel @matmul
// CHECK-SAME: accesses = ["load arg0[64*d0 : 64, 32*d2 : 32]", "load arg1[32*d2 : 32, 128*d1 : 128]", "store arg2[64*d0 : 64, 128*d1 : 128]"]
// CHECK-SAME: dims = ["d0: parallel, grid 0, block 64, extent arg2[0]", "d1: parallel, grid 1, block 128, extent arg2[1]", "d2: reduction, loop step 1, block 32, extent arg0[1]"]
tile.kernel @matmul(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %d = tile.dot %x, %y, %s : tensor<64x32xf32>, tensor<32x128xf32>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x128xf32>, !tile.view<?x?xf32>
}

// -----

// A linear id in groups of 8 rows, element offsets, a loop over elements.
// CHECK-LABEL: tile.kernel @grouped
// CHECK-SAME: accesses = ["load arg0[64*d0 : 64, d2 : 32]", "load arg1[d2 : 32, 128*d1 : 128]", "store arg2[64*d0 : 64, 128*d1 : 128]"]
// CHECK-SAME: dims = ["d0: parallel, grid 0 digit, block 64, extent arg2[0]", "d1: parallel, grid 0 digit, block 128, extent arg2[1]", "d2: reduction, loop step 32, block 32, extent arg0[1]"]
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

// -----

// Three coordinates in mixed radix.
// CHECK-LABEL: tile.kernel @radix
// CHECK-SAME: accesses = ["load arg0[d0 : 1, 8*d1 : 8, 16*d2 : 16]", "store arg0[d0 : 1, 8*d1 : 8, 16*d2 : 16]"]
tile.kernel @radix(%a: !tile.view<?x?x?xf32>) {
  %pid = tile.program_id : index
  %nj = tile.num_blocks %a[1] by 8 : !tile.view<?x?x?xf32>
  %nk = tile.num_blocks %a[2] by 16 : !tile.view<?x?x?xf32>
  %k = arith.remui %pid, %nk : index
  %rest = arith.divui %pid, %nk : index
  %j = arith.remui %rest, %nj : index
  %b = arith.divui %rest, %nj : index
  %x = tile.load %a[%b, %j, %k] : !tile.view<?x?x?xf32> -> tensor<1x8x16xf32>
  tile.store %x, %a[%b, %j, %k] : tensor<1x8x16xf32>, !tile.view<?x?x?xf32>
}

// -----

// The window of a convolution: the output's dimension tiles it, the tap shifts it.
// CHECK-LABEL: tile.kernel @window
// CHECK-SAME: accesses = ["load arg0[16*d0 + 3*d1 : 8 step 2]", "store arg1[8*d0 : 8]"]
// CHECK-SAME: dims = ["d0: parallel, grid 0, block 8, extent arg1[0]", "d1: reduction, loop step 1, block 1, pinned: it moves a window by other than its block size"]
tile.kernel @window(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %o = arith.muli %i, %c16 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (tensor<8xf32>) {
    %tap = arith.muli %k, %c3 : index
    %at = arith.addi %o, %tap : index
    %t = tile.load %x at [%at] step [2] : !tile.view<?xf32> -> tensor<8xf32>
    %u = arith.addf %s, %t : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  tile.store %sum, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// CHECK-LABEL: tile.kernel @squared
// CHECK-SAME: is not structured: coordinate 0 of 'tile.load' is not affine in grid and loop indices
tile.kernel @squared(%x: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %o = arith.muli %i, %i : index
  %t = tile.load %x at [%o] : !tile.view<?xf32> -> tensor<8xf32>
  tile.store %t, %x[%i] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// CHECK-LABEL: tile.kernel @pinned
// CHECK-SAME: "d0: parallel, grid 0, block 8, extent arg0[0], pinned: a tile is filled with its index rather than its position"
// CHECK-SAME: "d1: parallel, grid 1, block 4, extent arg1[0], pinned: tiles of d1 and d2 are combined elementwise"
tile.kernel @pinned(%x: !tile.view<?xindex>, %y: !tile.view<?xf32>) {
  %i, %j, %k = tile.program_id : index, index, index
  %t = tile.splat %i : tensor<8xindex>
  tile.store %t, %x[%i] : tensor<8xindex>, !tile.view<?xindex>
  %a = tile.load %y[%j] : !tile.view<?xf32> -> tensor<4xf32>
  %b = tile.load %y[%k] : !tile.view<?xf32> -> tensor<4xf32>
  %c = arith.addf %a, %b : tensor<4xf32>
  tile.store %c, %y[%j] : tensor<4xf32>, !tile.view<?xf32>
}
