// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @gather_slices_c1(%x: tensor<8xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+1 {{expected 'batch_dims' in [0, 1], found 2}}
  %0 = prim.gather_slices %x, %i dims [0] batch_dims 2 slice_sizes [1] : tensor<8xf32>, tensor<5x1xi32> -> tensor<5x1xf32>
  return
}

// -----

func.func @gather_slices_c2(%x: tensor<8xf32>, %i: tensor<5x2xi32>) {
  // expected-error @+1 {{expected indices with 1 coordinates in the last dimension, found 'tensor<5x2xi32>'}}
  %0 = prim.gather_slices %x, %i dims [0] batch_dims 0 slice_sizes [1] : tensor<8xf32>, tensor<5x2xi32> -> tensor<5x1xf32>
  return
}

// -----

func.func @gather_slices_c2_matched(%x: tensor<5x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+1 {{expected 'dims' that are not matched, found 0}}
  %0 = prim.gather_slices %x, %i dims [0] batch_dims 1 slice_sizes [1] : tensor<5x8xf32>, tensor<5x1xi32> -> tensor<5x1xf32>
  return
}

// -----

func.func @gather_slices_c3(%x: tensor<8xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+1 {{expected 'slice_sizes' of at most 8, found 9}}
  %0 = prim.gather_slices %x, %i dims [0] batch_dims 0 slice_sizes [9] : tensor<8xf32>, tensor<5x1xi32> -> tensor<5x9xf32>
  return
}

// -----

func.func @gather_slices_c4(%x: tensor<4x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+1 {{expected equal batch dimensions, found shapes [4, 8] and [5, 1]}}
  %0 = prim.gather_slices %x, %i dims [1] batch_dims 1 slice_sizes [1] : tensor<4x8xf32>, tensor<5x1xi32> -> tensor<5x1xf32>
  return
}

// -----

func.func @gather_slices_c5(%x: tensor<8xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+1 {{expected a result of element type 'f32', found 'f16'}}
  %0 = prim.gather_slices %x, %i dims [0] batch_dims 0 slice_sizes [1] : tensor<8xf32>, tensor<5x1xi32> -> tensor<5x1xf16>
  return
}

// -----

func.func @gather_slices_c6(%x: tensor<8xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+1 {{expected a result of shape [5, 1], found [5, 2]}}
  %0 = prim.gather_slices %x, %i dims [0] batch_dims 0 slice_sizes [1] : tensor<8xf32>, tensor<5x1xi32> -> tensor<5x2xf32>
  return
}

// -----

func.func @scatter_c1(%x: tensor<8xf32>, %i: tensor<i32>, %u: tensor<1xf32>) {
  // expected-error @+1 {{expected indices of rank 1 or more, found rank 0}}
  %0 = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<8xf32>, tensor<i32>, tensor<1xf32>
  return
}

// -----

func.func @scatter_c2(%x: tensor<8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x1xf32>) {
  // expected-error @+1 {{expected 'dims' in [0, 1), found 1}}
  %0 = prim.scatter add %x, %i, %u dims [1] batch_dims 0 : tensor<8xf32>, tensor<5x1xi32>, tensor<5x1xf32>
  return
}

// -----

func.func @scatter_c3(%x: tensor<4x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x1xf32>) {
  // expected-error @+1 {{expected equal batch dimensions, found shapes [4, 8] and [5, 1]}}
  %0 = prim.scatter add %x, %i, %u dims [1] batch_dims 1 : tensor<4x8xf32>, tensor<5x1xi32>, tensor<5x1xf32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x1xf32>) {
  // expected-error @+1 {{expected integers to combine by 'xor', found 'f32'}}
  %0 = prim.scatter xor %x, %i, %u dims [0] batch_dims 0 : tensor<8xf32>, tensor<5x1xi32>, tensor<5x1xf32>
  return
}

// -----

func.func @scatter_c5(%x: tensor<8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x9xf32>) {
  // expected-error @+1 {{expected windows of at most 8 in dimension 0, found 9}}
  %0 = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<8xf32>, tensor<5x1xi32>, tensor<5x9xf32>
  return
}
