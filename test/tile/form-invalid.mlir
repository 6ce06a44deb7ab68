// RUN: kiln-opt %s -split-input-file -verify-diagnostics -verify-tile-form

func.func private @f()
tile.kernel @calls() {
  // expected-error@+1 {{expected an operation of the tile level, found one that is not allowed in a kernel: there are those of tile, arith and math, scf.for, scf.if, scf.while, tensor.extract, and of others those that implement an interface for accesses, index maps, matrix products, reductions, folds or composites, or have the traits of elementwise operations or TakesWholeTiles}}
  func.call @f() : () -> ()
}

// -----

tile.kernel @dynamic(%n: index, %x: f32) {
  // expected-error@+1 {{expected an operation of the tile level}}
  %t = tensor.empty(%n) : tensor<?xf32>
}

// -----

tile.kernel @readonly(%v: !tile.view<?xf32> {tile.readonly}, %i: index, %x: f32) {
  %t = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected a store to a writable view, found parameter 0, which is 'readonly'}}
  tile.store %t, %v[%i] : tensor<4xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @effect_in_region(%v: !tile.view<?xf32>, %i: index, %x: f32) {
  %t = tile.splat %x : tensor<4xf32>
  %d = tile.reduce %t axis 0 : tensor<4xf32> -> tensor<f32> {
  ^bb0(%p: f32, %q: f32):
    // expected-error@+1 {{expected operations without effects in the region of 'tile.reduce'}}
    tile.store %t, %v[%i] : tensor<4xf32>, !tile.view<?xf32>
    tile.yield %p : f32
  }
}

// -----

tile.kernel @huge(%x: f32) {
  // expected-error@+1 {{expected tiles of static shape, scalars and views, found a result of type 'tensor<65536x65536xf32>'}}
  %t = tile.splat %x : tensor<65536x65536xf32>
}

// -----

tile.kernel @layout(%x: f32) {
  // expected-error@+1 {{expected a layout for rank 2, found affine_map<(d0) -> (d0)> for rank 1}}
  %t = tile.splat %x : tensor<4x4xf32, affine_map<(i) -> (i)>>
}
