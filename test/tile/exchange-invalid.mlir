// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @exchange_c1(%x: f32) {
  %t = tile.splat %x : tensor<8xf32>
  // expected-error@+1 {{expected an axis in [0, 1), found 1}}
  %e = tile.exchange %t axis 1 mask 1 : tensor<8xf32>
}

// -----

tile.kernel @exchange_c2(%x: f32) {
  %t = tile.splat %x : tensor<8xf32>
  // expected-error@+1 {{expected a positive mask, found 0}}
  %e = tile.exchange %t axis 0 mask 0 : tensor<8xf32>
}

// -----

tile.kernel @exchange_c3(%x: f32) {
  %t = tile.splat %x : tensor<12xf32>
  // expected-error@+1 {{expected a multiple of 8 elements along axis 0, found 'tensor<12xf32>'}}
  %e = tile.exchange %t axis 0 mask 5 : tensor<12xf32>
}

// -----

tile.kernel @exchange_c3_large(%x: f32) {
  %t = tile.splat %x : tensor<8xf32>
  // expected-error@+1 {{expected a multiple of 16 elements along axis 0, found 'tensor<8xf32>'}}
  %e = tile.exchange %t axis 0 mask 8 : tensor<8xf32>
}
