// RUN: kiln-opt %s -split-input-file -verify-diagnostics -convert-tile-to-stage

tile.kernel @dot(%x: !tile.view<?x?xf32>, %i: index) {
  %t = tile.load %x[%i, %i] : !tile.view<?x?xf32> -> tensor<4x4xf32>
  // expected-error@+1 {{unsupported: a product of tiles that nobody has split at the stage level}}
  %d = tile.dot %t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

tile.kernel @carried(%x: !tile.view<?xf32>, %i: index, %c: i1) {
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<4xf32>
  // expected-error@+1 {{unsupported: a tile that control flow carries or that has an encoding at the stage level}}
  %d = scf.if %c -> tensor<4xf32> {
    scf.yield %t : tensor<4xf32>
  } else {
    %u = arith.addf %t, %t : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
}
