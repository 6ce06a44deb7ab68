// RUN: kiln-opt %s -split-input-file -verify-diagnostics -convert-tile-to-stage

tile.kernel @twice(%x: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{unsupported: a kernel that is there in part at the stage level}}
  %s = stage.alloc : memref<4xf32>
}

// -----

tile.kernel @pointers(%p: !tile.ptr<f32>, %c: i1) {
  %n = tile.iota 0 : tensor<4xi32>
  %b = tile.splat %p : tensor<4x!tile.ptr<f32>>
  %q = tile.ptr_add %b, %n : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-error@+1 {{unsupported: pointers that are kept at the stage level}}
  %d = scf.if %c -> tensor<4x!tile.ptr<f32>> {
    scf.yield %q : tensor<4x!tile.ptr<f32>>
  } else {
    scf.yield %b : tensor<4x!tile.ptr<f32>>
  }
  %t = tile.load_ptr %d : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  tile.store_ptr %d, %t : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
}
