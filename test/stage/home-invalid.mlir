// Homes that were edited are checked where they are read.
// RUN: kiln-opt %s -convert-tile-to-stage -split-input-file -verify-diagnostics

tile.kernel @swap(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  // expected-error @below {{what it reads may be overwritten before it is used, so its home cannot be 'recompute'}}
  %a = tile.load %x[%i] {stage.decided = #stage.home<recompute>} : !tile.view<?xf32> -> tensor<64xf32>
  %b = tile.load %y[%i] {stage.decided = #stage.home<recompute>} : !tile.view<?xf32> -> tensor<64xf32>
  tile.store %b, %x[%i] : tensor<64xf32>, !tile.view<?xf32>
  tile.store %a, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @no_reduction(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  // expected-error @below {{no reduction can store its result on the way, so its home cannot be 'fuse'}}
  %b = math.exp %a {stage.decided = #stage.home<fuse>} : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @no_loop(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  // expected-error @below {{no loop carries a tile that its result may overwrite, so its home cannot be 'in_place'}}
  %b = math.exp %a {stage.decided = #stage.home<in_place>} : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @sum(%x: !tile.view<?x64xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x64xf32> -> tensor<1x64xf32>
  // expected-error @below {{its result cannot have the home 'recompute'}}
  %b = tile.reduce %a axis 1 {stage.decided = #stage.home<recompute>} : tensor<1x64xf32> -> tensor<1xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  tile.store %b, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
}
