// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @all_reduce_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected at least one group}}
  %0 = prim.all_reduce add %x groups [] : tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c1_empty(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected groups that are not empty}}
  %0 = prim.all_reduce add %x groups [[0], []] : tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c1_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected each rank once, found 1 twice}}
  %0 = prim.all_reduce add %x groups [[0, 1], [1]] : tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected ranks in [0, 65536), found -1}}
  %0 = prim.all_reduce add %x groups [[0, -1]] : tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{combiner 'set' is not for elements of 'f32'}}
  %0 = prim.all_reduce set %x groups [[0, 1]] : tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c3_bits(%x: tensor<4xf32>) {
  // expected-error @+1 {{combiner 'and' is not for elements of 'f32'}}
  %0 = prim.all_reduce and %x groups [[0, 1]] : tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c3_truth(%x: tensor<4xi1>) {
  // expected-error @+1 {{combiner 'add' is not for elements of 'i1'}}
  %0 = prim.all_reduce add %x groups [[0, 1]] : tensor<4xi1>
  return
}

// -----

func.func @all_gather_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected groups of one size, found 2 and 1}}
  %0 = prim.all_gather %x dim 0 groups [[0, 1], [2]] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 'dim' in [0, 1), found 1}}
  %0 = prim.all_gather %x dim 1 groups [[0, 1]] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_c5(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a result of shape [8], found [4]}}
  %0 = prim.all_gather %x dim 0 groups [[0, 1]] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @all_gather_c6(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a result of element type 'f32', found 'f16'}}
  %0 = prim.all_gather %x dim 0 groups [[0, 1]] : tensor<4xf32> -> tensor<8xf16>
  return
}

// -----

func.func @all_gather_large(%x: tensor<9223372036854775807xi8>) {
  // expected-error @+1 {{expected a size that fits 64 bits, found 2 times 9223372036854775807}}
  %0 = prim.all_gather %x dim 0 groups [[0, 1]] : tensor<9223372036854775807xi8> -> tensor<?xi8>
  return
}

// -----

func.func @reduce_scatter_c5(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected a size that 2 divides, found 5}}
  %0 = prim.reduce_scatter add %x dim 0 groups [[0, 1]] : tensor<5xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scatter_c7(%x: tensor<4xf32>) {
  // expected-error @+1 {{combiner 'umin' is not for elements of 'f32'}}
  %0 = prim.reduce_scatter umin %x dim 0 groups [[0, 1]] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @all_to_all_c4(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{expected 'concat' in [0, 2), found 2}}
  %0 = prim.all_to_all %x split 0 concat 2 groups [[0, 1]] : tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c5(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{expected a result of shape [2, 4], found [4, 2]}}
  %0 = prim.all_to_all %x split 0 concat 1 groups [[0, 1]] : tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected at least one group}}
  %0 = prim.broadcast %x groups [] : tensor<4xf32>
  return
}

// -----

func.func @permute_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected pairs of ranks, found 3 ranks}}
  %0 = prim.permute %x pairs [[0, 1, 2]] : tensor<4xf32>
  return
}

// -----

func.func @permute_c1_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected one sender for each rank, found two for rank 1}}
  %0 = prim.permute %x pairs [[0, 1], [2, 1]] : tensor<4xf32>
  return
}

// -----

func.func @permute_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected ranks in [0, 65536), found 65536}}
  %0 = prim.permute %x pairs [[0, 65536]] : tensor<4xf32>
  return
}
