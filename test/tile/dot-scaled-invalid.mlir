// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @dot_scaled_c1(%x: i8, %s: f32) {
  %a = tile.splat %x : tensor<4x4xi8>
  %b = tile.splat %x : tensor<1x4x4xi8>
  %c = tile.splat %s : tensor<4x4xf32>
  // expected-error@+1 {{expected operands of rank 2, or all of rank 3, found 'tensor<1x4x4xi8>' with an accumulator of rank 2}}
  %d = tile.dot_scaled %a e4m3, %b e4m3, %c : tensor<4x4xi8>, tensor<1x4x4xi8>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_scaled_c2(%x: i8, %s: f32) {
  %a = tile.splat %x : tensor<2x4x4xi8>
  %b = tile.splat %x : tensor<3x4x4xi8>
  %c = tile.splat %s : tensor<2x4x4xf32>
  // expected-error@+1 {{expected batches of 2, found 'tensor<3x4x4xi8>'}}
  %d = tile.dot_scaled %a e4m3, %b e4m3, %c : tensor<2x4x4xi8>, tensor<3x4x4xi8>, tensor<2x4x4xf32>
}

// -----

tile.kernel @dot_scaled_c3(%x: i8, %s: f32) {
  %a = tile.splat %x : tensor<4x4xi8>
  %c = tile.splat %s : tensor<4x4xf32>
  // expected-error@+1 {{expected rhs to have 8 rows, found 4}}
  %d = tile.dot_scaled %a e2m1, %a e4m3, %c : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_scaled_c3_result(%x: i8, %s: f32) {
  %a = tile.splat %x : tensor<4x4xi8>
  %c = tile.splat %s : tensor<4x8xf32>
  // expected-error@+1 {{expected an accumulator of 4x4, found 'tensor<4x8xf32>'}}
  %d = tile.dot_scaled %a e5m2, %a e4m3, %c : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x8xf32>
}

// -----

tile.kernel @dot_scaled_c4(%x: f16, %s: f32) {
  %a = tile.splat %x : tensor<4x4xf16>
  %c = tile.splat %s : tensor<4x4xf32>
  // expected-error@+1 {{expected lhs of format 'e3m2' to hold its elements, found 'f16'}}
  %d = tile.dot_scaled %a e3m2, %a fp16, %c : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_scaled_c5(%x: i8, %s: f32) {
  %a = tile.splat %x : tensor<4x64xi8>
  %b = tile.splat %x : tensor<64x4xi8>
  %sa = tile.splat %x : tensor<4x3xi8>
  %c = tile.splat %s : tensor<4x4xf32>
  // expected-error@+1 {{expected scales of lhs for 4 rows and blocks of 64 elements, found 'tensor<4x3xi8>'}}
  %d = tile.dot_scaled %a e4m3 scale %sa, %b e4m3, %c : tensor<4x64xi8> scale tensor<4x3xi8>, tensor<64x4xi8>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_scaled_c6(%x: i8, %s: f32) {
  %a = tile.splat %x : tensor<4x4xi8>
  %sa = tile.splat %s : tensor<4x1xf32>
  %c = tile.splat %s : tensor<4x4xf32>
  // expected-error@+1 {{expected scales of i8, f8E8M0FNU or f8E4M3FN, found 'f32'}}
  %d = tile.dot_scaled %a e4m3 scale %sa, %a e4m3, %c : tensor<4x4xi8> scale tensor<4x1xf32>, tensor<4x4xi8>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_scaled_c7(%x: i8, %s: f16) {
  %a = tile.splat %x : tensor<4x4xi8>
  %c = tile.splat %s : tensor<4x4xf16>
  // expected-error@+1 {{expected an accumulator of f32, found 'f16'}}
  %d = tile.dot_scaled %a e4m3, %a e4m3, %c : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf16>
}

// -----

tile.kernel @dot_scaled_c8(%x: i8, %s: f32) {
  %a = tile.splat %x : tensor<4x4xi8>
  %c = tile.splat %s : tensor<4x4xf32>
  // expected-error@+1 {{expected format 'e2m1' with 'lhs_k_pack = false', found 'e4m3'}}
  %d = tile.dot_scaled %a e4m3, %a e4m3, %c {lhs_k_pack = false} : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf32>
}
