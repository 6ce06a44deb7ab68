// RUN: kiln-opt %s -split-input-file -verify-diagnostics -tile-retile="sizes=96"

// expected-error@+1 {{kernel 'pinned' cannot be retiled: d0 keeps its block of 1: blocks of 1 and of 8 move with it}}
tile.kernel @pinned(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<1x8xf32>
  %b = tile.broadcast %a : tensor<1x8xf32> -> tensor<4x8xf32>
  tile.store %b, %y[%c0, %i] : tensor<4x8xf32>, !tile.view<?x?xf32>
}

// -----

// expected-error@+1 {{blocks of 96 do not divide the 128 elements of d0, and its padding would enter a sum or reduction}}
tile.kernel @padding(%x: !tile.view<128xf32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant dense<1.0> : tensor<f32>
  %p = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %one) -> (tensor<f32>) {
    %t = tile.load %x[%k] : !tile.view<128xf32> -> tensor<64xf32>
    %m = tile.reduce %t axis 0 : tensor<64xf32> -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %q = arith.mulf %a, %b : f32
      tile.yield %q : f32
    }
    %u = arith.mulf %s, %m : tensor<f32>
    scf.yield %u : tensor<f32>
  }
  tile.store %p, %y[%c0] : tensor<f32>, !tile.view<?xf32>
}

// -----

// expected-error@+1 {{the bound of the loop of d0 is not known to cover its extent, so that blocks of 96 could reach other elements}}
tile.kernel @bound(%x: !tile.view<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %t = tile.load %x[%k] : !tile.view<?xf32> -> tensor<64xf32>
    %u = arith.addf %t, %t : tensor<64xf32>
    tile.store %u, %x[%k] : tensor<64xf32>, !tile.view<?xf32>
  }
}

// -----

// expected-error@+1 {{the kernel is not structured: scf.while has no known number of iterations}}
tile.kernel @loop(%x: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %n = scf.while (%k = %i) : (index) -> index {
    %t = arith.constant true
    scf.condition(%t) %k : index
  } do {
  ^bb0(%k: index):
    scf.yield %k : index
  }
}

// -----

// expected-error@+1 {{expected at most 0 block sizes, found 1}}
tile.kernel @none(%x: !tile.view<?xf32>) {
}

// -----

// The largest element of a block of the grid goes back to its elements: another block has another one.
// expected-error@+1 {{kernel 'block_maximum' cannot be retiled: d0 keeps its block of 32: 'tile.reduce' reduces each block of it}}
tile.kernel @block_maximum(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<32xf32>
  %m = tile.reduce %t axis 0 : tensor<32xf32> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.maximumf %a, %b : f32
    tile.yield %q : f32
  }
  %e = tile.expand_dims %m axis 0 : tensor<f32> -> tensor<1xf32>
  %f = tile.broadcast %e : tensor<1xf32> -> tensor<32xf32>
  %u = arith.subf %t, %f : tensor<32xf32>
  tile.store %u, %y[%i] : tensor<32xf32>, !tile.view<?xf32>
}

// -----

// The same of a block of a loop.
// expected-error@+1 {{kernel 'loop_maximum' cannot be retiled: d0 keeps its block of 32: 'tile.reduce' reduces each block of it}}
tile.kernel @loop_maximum(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %x[0] by 32 : !tile.view<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<32xf32>
    %m = tile.reduce %t axis 0 : tensor<32xf32> -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %q = arith.maximumf %a, %b : f32
      tile.yield %q : f32
    }
    %e = tile.expand_dims %m axis 0 : tensor<f32> -> tensor<1xf32>
    %f = tile.broadcast %e : tensor<1xf32> -> tensor<32xf32>
    %u = arith.subf %t, %f : tensor<32xf32>
    tile.store %u, %y[%i] : tensor<32xf32>, !tile.view<?xf32>
  }
}

// -----

// How many blocks have a positive element depends on the blocks.
// expected-error@+1 {{kernel 'blocks_counted' cannot be retiled: d0 keeps its block of 32: 'tile.reduce' reduces each block of it}}
tile.kernel @blocks_counted(%x: !tile.view<?xf32>, %y: !tile.view<1xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<32xf32>
  %m = tile.reduce %t axis 0 : tensor<32xf32> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.maximumf %a, %b : f32
    tile.yield %q : f32
  }
  %e = tile.expand_dims %m axis 0 : tensor<f32> -> tensor<1xf32>
  tile.store %e, %y[%c0] combine add : tensor<1xf32>, !tile.view<1xf32>
}
