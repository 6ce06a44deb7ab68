// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @copy_c1(%x: !tile.view<4xf32>, %i: index) {
  // expected-error@+1 {{expected storage on at least one side}}
  stage.copy %x[%i] to %x[%i] : !tile.view<4xf32>, !tile.view<4xf32>
}

// -----

tile.kernel @copy_c1(%x: !tile.view<4xf16>, %i: index) {
  %s = stage.alloc : memref<4xf32>
  // expected-error@+1 {{expected source and target of one element type, found 'f16' and 'f32'}}
  stage.copy %x[%i] to %s : !tile.view<4xf16>, memref<4xf32>
}

// -----

tile.kernel @copy_c2(%x: !tile.view<4x4xf32>, %i: index) {
  %s = stage.alloc : memref<4xf32>
  // expected-error@+1 {{expected 2 coordinates of the source, found 1}}
  stage.copy %x[%i] to %s : !tile.view<4x4xf32>, memref<4xf32>
}

// -----

tile.kernel @copy_c3(%x: !tile.view<4xf32>, %i: index) {
  %s = stage.alloc : memref<4xf32>
  // expected-error@+1 {{expected a box that the target has room for, found size 8}}
  stage.copy %x[%i] to %s box [8] : !tile.view<4xf32>, memref<4xf32>
}

// -----

tile.kernel @copy_c4(%x: !tile.view<4xi32>, %i: index) {
  %s = stage.alloc : memref<4xi32>
  // expected-error@+1 {{expected a float element type with padding 'nan', found 'i32'}}
  stage.copy %x[%i] padding nan to %s : !tile.view<4xi32>, memref<4xi32>
}

// -----

tile.kernel @copy_c4(%x: !tile.view<4xi32>, %i: index) {
  %s = stage.alloc : memref<4xi32>
  // expected-error@+1 {{expected padding 'zero', 'nan' or a value, found 'any'}}
  stage.copy %x[%i] padding any to %s : !tile.view<4xi32>, memref<4xi32>
}

// -----

tile.kernel @copy_c4(%x: !tile.view<4xf32>, %i: index, %p: f16) {
  %s = stage.alloc : memref<4xf32>
  // expected-error@+1 {{expected a pad of type 'f32', found 'f16'}}
  stage.copy %x[%i] pad %p : f16 to %s : !tile.view<4xf32>, memref<4xf32>
}

// -----

tile.kernel @prefetch_c1(%x: !tile.view<4x4xf32>, %i: index) {
  // expected-error@+1 {{expected 2 coordinates, found 1}}
  stage.prefetch %x[%i] box [4] : !tile.view<4x4xf32>
}

// -----

tile.kernel @prefetch_c2(%x: !tile.view<4x4xf32>, %i: index) {
  // expected-error@+1 {{expected positive sizes of the box, found 0}}
  stage.prefetch %x[%i, %i] box [0] : !tile.view<4x4xf32>
}

// -----

tile.kernel @copy_c6(%x: !tile.view<4xf32>, %i: index) {
  %s = stage.alloc : memref<4xf32>
  // expected-error@+1 {{expected a 'bulk' copy to be 'async', from a view to storage}}
  stage.copy bulk %x[%i] to %s : !tile.view<4xf32>, memref<4xf32>
}

// -----

tile.kernel @prefetch_c3(%x: !tile.view<4x4xf32>, %i: index) {
  // expected-error@+1 {{expected a positive distance 'every', found 0}}
  stage.prefetch %x[%i, %i] box [4] every 0 : !tile.view<4x4xf32>
}

// -----

tile.kernel @prefetch_ahead_c1(%x: !tile.view<8xf32>, %y: !tile.view<8xf32>, %i: index) {
  stage.compute [8] {
    %t = tile.load %x[%i] : !tile.view<8xf32> -> tensor<8xf32>
    %u = arith.addf %t, %t : tensor<8xf32>
    // expected-error@+1 {{expected a tile that an operation reads through a view, without indirect dimensions}}
    stage.prefetch_ahead %u by [8] : tensor<8xf32>
    tile.store %u, %y[%i] : tensor<8xf32>, !tile.view<8xf32>
  }
}

// -----

tile.kernel @prefetch_ahead_c2(%x: !tile.view<8x8xf32>, %y: !tile.view<8xf32>, %i: index) {
  stage.compute [8] {
    %t = tile.load %x[%i, %i] : !tile.view<8x8xf32> -> tensor<8xf32>
    // expected-error@+1 {{expected 2 distances, found 1}}
    stage.prefetch_ahead %t by [8] : tensor<8xf32>
    tile.store %t, %y[%i] : tensor<8xf32>, !tile.view<8xf32>
  }
}

// -----

tile.kernel @stream(%x: !tile.view<8xf32>, %y: !tile.view<8xf32>, %i: index) {
  // expected-error@+1 {{expected a positive number of bytes, found 0}}
  stage.compute [8] stream <0> {
    %t = tile.load %x[%i] : !tile.view<8xf32> -> tensor<8xf32>
    tile.store %t, %y[%i] : tensor<8xf32>, !tile.view<8xf32>
  }
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @wait_c2() {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  %x = stage.product async %s, %s, %z : memref<8x8xf32>, memref<8x8xf32>, !F
  // expected-error@+1 {{expected 'but' not to be negative, found -1}}
  %f = stage.wait but -1 %x : !stage.future<!F>
}

// -----

tile.kernel @wait_c2_token(%x: !tile.view<64xf32>, %i: index) {
  %s = stage.alloc : memref<64xf32>
  %t = stage.copy async %x[%i] to %s : !tile.view<64xf32>, memref<64xf32>
  // expected-error@+1 {{expected only futures with 'but', found '!stage.token'}}
  stage.wait but 1 %t
}
