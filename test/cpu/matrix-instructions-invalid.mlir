// REQUIRES: x86_64
// RUN: kiln-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:znver4},cpu-select-matrix-instructions)'

// (C2) The row is there.
tile.kernel @unknown() {
  %x = arith.constant dense<0> : tensor<64x64xi8>
  %z = arith.constant dense<0> : tensor<64x64xi32>
  // expected-error @+1 {{attribute 'split': the description of 'cpu' has no matrix instruction 'tdpbssd'}}
  %d = tile.dot %x, %x, %z {split = #cpu.product<row = "tdpbssd", rows = 16, columns = 16, depth = 64>}
    : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
}

// -----
// (C2) It takes the types.
tile.kernel @types() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{matrix instruction 'vdpbf16ps' does not take 'tensor<64x64xf32>' and 'tensor<64x64xf32>'}}
  %d = tile.dot %x, %x, %x {split = #cpu.product<row = "vdpbf16ps", rows = 6, columns = 64, depth = 64>}
    : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----
// (C3) Whole instructions.
tile.kernel @sizes() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{expected 'columns' to be a multiple of 16 for matrix instruction 'fma.f32', found 24}}
  %d = tile.dot %x, %x, %x {split = #cpu.product<row = "fma.f32", rows = 4, columns = 24, depth = 64>}
    : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----
// (C4) Signed numbers for an instruction that takes unsigned ones.
tile.kernel @offset() {
  %x = arith.constant dense<0> : tensor<64x64xi8>
  %z = arith.constant dense<0> : tensor<64x64xi32>
  // expected-error @+1 {{expected 'lhs_offset' to be 128 for matrix instruction 'vpdpbusd', found 0}}
  %d = tile.dot %x, %x, %z {split = #cpu.product<row = "vpdpbusd", rows = 6, columns = 16, depth = 64>}
    : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
}

// -----
tile.kernel @positive() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{expected 'rows' to be between 1 and 256, found 0}}
  %d = tile.dot %x, %x, %x {split = #cpu.product<rows = 0, columns = 24, depth = 64>}
    : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----
// expected-error @+1 {{expected an attribute that dialect 'cpu' has, found 'cpu.product'}}
tile.kernel @kernel() attributes {cpu.product = #cpu.product<rows = 1, columns = 1, depth = 1>} {
}

// -----
tile.kernel @other() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{attribute 'split' failed to satisfy constraint: attribute that says how a matmul is split into blocks}}
  %d = tile.dot %x, %x, %x {split = "fma"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----
// (C5) Ways for small numbers say that they are.
tile.kernel @narrow() {
  %x = arith.constant dense<0> : tensor<64x64xi8>
  %z = arith.constant dense<0> : tensor<64x64xi32>
  // expected-error @+1 {{expected 'narrow' to hold #cpu.product with 'bounded' and nothing narrower, found #cpu.product<row = "vpmaddubsw", rows = 3, columns = 16, depth = 64>}}
  %d = tile.dot %x, %x, %z lhs_unsigned {split = #cpu.product<rows = 3, columns = 16, depth = 64, narrow = [#cpu.product<row = "vpmaddubsw", rows = 3, columns = 16, depth = 64>]>}
    : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
}

// -----
// (C2) More bits than the row takes.
tile.kernel @bounded() {
  %x = arith.constant dense<0> : tensor<64x64xi8>
  %z = arith.constant dense<0> : tensor<64x64xi32>
  // expected-error @+1 {{matrix instruction 'vpmaddubsw' does not take 'tensor<64x64xi8>' and 'tensor<64x64xi8>'}}
  %d = tile.dot %x, %x, %z lhs_unsigned {split = #cpu.product<row = "vpmaddubsw", rows = 3, columns = 16, depth = 64>}
    : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
}
