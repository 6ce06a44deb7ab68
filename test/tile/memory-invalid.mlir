// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @load_c1(%v: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{expected tile and view of the same element type, found 'f16' and 'f32'}}
  %0 = tile.load %v[%i] : !tile.view<?xf32> -> tensor<4xf16>
}

// -----

tile.kernel @load_c1_size(%v: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{expected a tile with positive sizes, found 'tensor<0xf32>'}}
  %0 = tile.load %v[%i] : !tile.view<?xf32> -> tensor<0xf32>
}

// -----

tile.kernel @load_c2(%v: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{expected a tile of rank at most 1, found 'tensor<2x2xf32>'}}
  %0 = tile.load %v[%i] : !tile.view<?xf32> -> tensor<2x2xf32>
}

// -----

tile.kernel @load_c3(%v: !tile.view<?x?xf32>, %i: index) {
  // expected-error@+1 {{expected 2 coordinates, found 1}}
  %0 = tile.load %v[%i] : !tile.view<?x?xf32> -> tensor<2xf32>
}

// -----

tile.kernel @load_c4(%v: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{expected 1 steps, found 2}}
  %0 = tile.load %v[%i] step [1, 1] : !tile.view<?xf32> -> tensor<2xf32>
}

// -----

tile.kernel @load_c4_zero(%v: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{expected steps to be at least 1, found 0}}
  %0 = tile.load %v[%i] step [0] : !tile.view<?xf32> -> tensor<2xf32>
}

// -----

tile.kernel @load_c5(%v: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{expected a pad operand exactly when padding is 'value', found padding 'value' without operand}}
  %0 = "tile.load"(%v, %i) {padding = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0>} : (!tile.view<?xf32>, index) -> tensor<2xf32>
}

// -----

tile.kernel @load_c6(%v: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{expected a pad of type 'f32', found 'index'}}
  %0 = tile.load %v[%i] pad %i : index : !tile.view<?xf32> -> tensor<2xf32>
}

// -----

tile.kernel @load_c7(%v: !tile.view<?xi32>, %i: index) {
  // expected-error@+1 {{expected a float element type with padding 'nan', found 'i32'}}
  %0 = tile.load %v[%i] padding nan : !tile.view<?xi32> -> tensor<2xi32>
}

// -----

tile.kernel @load_padding(%v: !tile.view<?xi32>, %i: index) {
  // expected-error@+1 {{expected padding 'zero', 'nan' or 'any', found 'value'}}
  %0 = tile.load %v[%i] padding value : !tile.view<?xi32> -> tensor<2xi32>
}

// -----

tile.kernel @store_c5(%v: !tile.view<?xf32>, %i: index, %x: f32) {
  %t = tile.splat %x : tensor<2xf32>
  // expected-error@+1 {{expected integers with combine 'xor', found 'f32'}}
  tile.store %t, %v[%i] combine xor : tensor<2xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @gather_c2(%v: !tile.view<?xf32>, %idx: index) {
  %t = tile.splat %idx : tensor<2xindex>
  // expected-error@+1 {{expected a dimension in [0, 1), found -1}}
  %0 = tile.load_gather %v[] dim -1 by %t : !tile.view<?xf32>, tensor<2xindex> -> tensor<2xf32>
}

// -----

tile.kernel @gather_c4(%v: !tile.view<?x?xf32>, %idx: index) {
  %t = tile.splat %idx : tensor<2xindex>
  // expected-error@+1 {{expected the shape of the indices 'tensor<2xindex>' at dimension 0 of the tile, found 'tensor<4x4xf32>'}}
  %0 = tile.load_gather %v[%idx] dim 0 by %t : !tile.view<?x?xf32>, tensor<2xindex> -> tensor<4x4xf32>
}

// -----

tile.kernel @scatter_c3(%v: !tile.view<?x?xf32>, %idx: index, %f: f32) {
  %t = tile.splat %idx : tensor<2xindex>
  %x = tile.splat %f : tensor<2x4xf32>
  // expected-error@+1 {{expected 1 offsets, found 0}}
  tile.store_scatter %x, %v[] dim 0 by %t : tensor<2x4xf32>, !tile.view<?x?xf32>, tensor<2xindex>
}

// -----

tile.kernel @scatter_c5(%v: !tile.view<?xf32>, %idx: index, %f: f32) {
  %t = tile.splat %idx : tensor<4xindex>
  %x = tile.splat %f : tensor<4xf32>
  // expected-error@+1 {{expected integers with combine 'xor', found 'f32'}}
  tile.store_scatter %x, %v[] dim 0 by %t combine xor : tensor<4xf32>, !tile.view<?xf32>, tensor<4xindex>
}

// -----

tile.kernel @make_view_c2(%p: !tile.ptr<f32>) {
  // expected-error@+1 {{expected 1 sizes, found 0}}
  %v = tile.make_view %p : !tile.ptr<f32> -> !tile.view<?xf32>
}

// -----

tile.kernel @dim_c1(%v: !tile.view<?xf32>) {
  // expected-error@+1 {{expected a dimension in [0, 1), found 9}}
  %0 = tile.dim %v[9] : !tile.view<?xf32>
}

// -----

tile.kernel @num_blocks_c2(%v: !tile.view<?xf32>) {
  // expected-error@+1 {{expected a block of at least 1, found 0}}
  %0 = tile.num_blocks %v[0] by 0 : !tile.view<?xf32>
}
