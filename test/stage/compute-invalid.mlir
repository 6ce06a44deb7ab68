// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @compute_c1() {
  // expected-error@+1 {{expected positive sizes of the box, found 0}}
  stage.compute [4, 0] {
  }
}

// -----

tile.kernel @compute_c2(%n: index) {
  // expected-error@+1 {{expected 2 values of 'to', found 1}}
  stage.compute [4, 4] to [%n] {
  }
}

// -----

tile.kernel @compute_c3() {
  %r = stage.compute [4] -> f32 {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    // expected-error@+1 {{expected a value for a result of type 'f32', found 'tensor<4xf32>'}}
    stage.yield %t : tensor<4xf32>
  }
}

// -----

tile.kernel @compute_c3() {
  %r = stage.compute [4] -> f32 {
    // expected-error@+1 {{expected 1 values, found 0}}
    stage.yield
  }
}

// -----

// A tile whose dimension nothing relates to the box.
tile.kernel @compute_c4(%y: !tile.view<?xf32>, %i: index) {
  stage.compute [4, 4] {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    // expected-error@+1 {{expected each dimension of the tile to be a dimension of the box, found none for dimension 0 of 'tensor<4xf32>'}}
    tile.store %t, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
  }
}

// -----

// Softmax in one pass is none.
tile.kernel @compute_c5(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %i: index) {
  stage.compute [4] {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<4xf32>
    %r = tile.reduce %t axis 0 : tensor<4xf32> -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %s = tile.reshape %r : tensor<f32> -> tensor<1xf32>
    %w = tile.broadcast %s : tensor<1xf32> -> tensor<4xf32>
    %o = arith.divf %t, %w : tensor<4xf32>
    // expected-error@+1 {{expected no value that is reduced along dimension 0 of the box at points along it}}
    tile.store %o, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
  }
}

// -----

tile.kernel @compute_c6() {
  %s = stage.alloc : memref<4x4xf32>
  stage.compute [4, 4] {
    // expected-error@+1 {{expected to read what the region writes at the same coordinates}}
    %t = stage.read %s : memref<4x4xf32> -> tensor<4x4xf32>
    %u = tile.transpose %t [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-note@+1 {{written here}}
    stage.write %u, %s : tensor<4x4xf32>, memref<4x4xf32>
  }
}
