// RUN: kiln-opt %s -split-input-file -tile-raise -o /dev/null 2>&1 | FileCheck %s

// Rescaling by what the loop carries besides keeps the result (online softmax).
// CHECK-LABEL: tile.kernel @online
// CHECK-SAME: "d1: reduction, loop step 1, block 64, extent arg0[1]"
tile.kernel @online(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !tile.view<?x?xf32>) {
  %row = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ninf = arith.constant 0xFF800000 : f32
  %m0 = arith.constant dense<0xFF800000> : tensor<f32>
  %l0 = arith.constant dense<0.0> : tensor<f32>
  %n = tile.num_blocks %x[1] by 64 : !tile.view<?x?xf32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%m = %m0, %l = %l0) -> (tensor<f32>, tensor<f32>) {
    %t = tile.load %x[%row, %k] pad %ninf : f32 : !tile.view<?x?xf32> -> tensor<64xf32>
    %bm = tile.reduce %t axis 0 : tensor<64xf32> -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %q = arith.maximumf %a, %b : f32
      tile.yield %q : f32
    }
    %mn = arith.maximumf %m, %bm : tensor<f32>
    %d = arith.subf %m, %mn : tensor<f32>
    %scale = math.exp %d : tensor<f32>
    %m1 = tile.reshape %mn : tensor<f32> -> tensor<1xf32>
    %mb = tile.broadcast %m1 : tensor<1xf32> -> tensor<64xf32>
    %s = arith.subf %t, %mb : tensor<64xf32>
    %e = math.exp %s : tensor<64xf32>
    %bl = tile.reduce %e axis 0 : tensor<64xf32> -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      tile.yield %q : f32
    }
    %ls = arith.mulf %l, %scale : tensor<f32>
    %ln = arith.addf %ls, %bl : tensor<f32>
    scf.yield %mn, %ln : tensor<f32>, tensor<f32>
  }
  tile.store %r#1, %y[%row, %c0] : tensor<f32>, !tile.view<?x?xf32>
}

// -----

// A factor for each block makes the number of blocks part of the result.
// CHECK-LABEL: tile.kernel @decay
// CHECK-SAME: pinned: its loop accumulates the carried value by several operations
tile.kernel @decay(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant dense<0.5> : tensor<64xf32>
  %n = tile.num_blocks %x[0] by 64 : !tile.view<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %half) -> (tensor<64xf32>) {
    %t = tile.load %x[%k] : !tile.view<?xf32> -> tensor<64xf32>
    %h = arith.mulf %s, %half : tensor<64xf32>
    %u = arith.addf %h, %t : tensor<64xf32>
    scf.yield %u : tensor<64xf32>
  }
  tile.store %r, %y[%c0] : tensor<64xf32>, !tile.view<?xf32>
}

// -----

// CHECK-LABEL: tile.kernel @last
// CHECK-SAME: pinned: its loop carries something of the last block only
tile.kernel @last(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %n = tile.num_blocks %x[0] by 64 : !tile.view<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64xf32>) {
    %t = tile.load %x[%k] : !tile.view<?xf32> -> tensor<64xf32>
    scf.yield %t : tensor<64xf32>
  }
  tile.store %r, %y[%c0] : tensor<64xf32>, !tile.view<?xf32>
}

// -----

// One iteration reads what the one before it wrote.
// CHECK-LABEL: tile.kernel @recurrence
// CHECK-SAME: pinned: a store in its loop may overlap another access there
tile.kernel @recurrence(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = tile.num_blocks %x[0] by 64 : !tile.view<?xf32>
  scf.for %k = %c0 to %n step %c1 {
    %o = arith.muli %k, %c64 : index
    %p = arith.subi %o, %c64 : index
    %t = tile.load %x at [%p] : !tile.view<?xf32> -> tensor<64xf32>
    %u = arith.addf %t, %t : tensor<64xf32>
    tile.store %u, %x at [%o] : tensor<64xf32>, !tile.view<?xf32>
  }
}

// -----

// In place at the same position is fine.
// CHECK-LABEL: tile.kernel @in_place
// CHECK-SAME: "d0: parallel, loop step 1, block 64, extent arg0[0]"
tile.kernel @in_place(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %x[0] by 64 : !tile.view<?xf32>
  scf.for %k = %c0 to %n step %c1 {
    %t = tile.load %x[%k] : !tile.view<?xf32> -> tensor<64xf32>
    %u = arith.addf %t, %t : tensor<64xf32>
    tile.store %u, %y[%k] : tensor<64xf32>, !tile.view<?xf32>
  }
}
