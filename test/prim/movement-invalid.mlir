// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_c1(%v: tensor<8xf32>) {
  // expected-error @+1 {{expected 1 sizes, one for each ? of the result, found 0}}
  %0 = prim.broadcast_in_dim %v dims [1] : tensor<8xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @broadcast_c3(%v: tensor<8x4xf32>) {
  // expected-error @+1 {{expected 'dims' in ascending order}}
  %0 = prim.broadcast_in_dim %v dims [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_c3_count(%v: tensor<8xf32>) {
  // expected-error @+1 {{expected one of 'dims' for each dimension of the operand, 1, found 0}}
  %0 = prim.broadcast_in_dim %v dims [] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @broadcast_c4(%v: tensor<8xf32>) {
  // expected-error @+1 {{expected an operand dimension of size 1 or 4, found 8}}
  %0 = prim.broadcast_in_dim %v dims [0] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected a result of element type 'f32', found 'i32'}}
  %0 = prim.reshape %x : tensor<8xf32> -> tensor<8xi32>
  return
}

// -----

func.func @reshape_c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected 8 elements in the result, found 9}}
  %0 = prim.reshape %x : tensor<8xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @reshape_c3_overflow(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected a number of elements that fits 64 bits}}
  %0 = prim.reshape %x : tensor<8xf32> -> tensor<4294967296x4294967296x8xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected distinct 'permutation', found 1 twice}}
  %0 = prim.transpose %x permutation [1, 1] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @transpose_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a result of shape [8, 4], found [4, 8]}}
  %0 = prim.transpose %x permutation [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 'strides' of at least 1, found 0}}
  %0 = prim.slice %x starts [0] limits [4] strides [0] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 0 <= start <= limit <= size, found 0, 5 and [4] in dimension 0}}
  %0 = prim.slice %x starts [0] limits [5] strides [1] : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a result of shape [2], found [4]}}
  %0 = prim.slice %x starts [1] limits [-1] strides [2] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @rev_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 'dims' in [0, 1), found 1}}
  %0 = prim.rev %x dims [1] : tensor<4xf32>
  return
}

// -----

func.func @cat_c1() {
  // expected-error @+1 {{expected at least one operand, found none}}
  %0 = "prim.cat"() {dim = 0 : i64} : () -> tensor<0xf32>
  return
}

// -----

func.func @cat_c3(%x: tensor<4x8xf32>, %y: tensor<4x7xf32>) {
  // expected-error @+1 {{expected operand 1 of shape [?, 8], found [4, 7]}}
  %0 = prim.cat %x, %y dim 0 : tensor<4x8xf32>, tensor<4x7xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @cat_c4(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a result of shape [8, 8], found [9, 8]}}
  %0 = prim.cat %x, %x dim 0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<9x8xf32>
  return
}

// -----

func.func @cat_c4_overflow(%x: tensor<9223372036854775807xi8>) {
  // expected-error @+1 {{expected a size that fits 64 bits}}
  %0 = prim.cat %x, %x dim 0 : tensor<9223372036854775807xi8>, tensor<9223372036854775807xi8> -> tensor<8xi8>
  return
}

// -----

func.func @pad_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 'low' of at least 0, found -1}}
  %0 = prim.pad %x low [-1] high [0] value 0.0 : f32 : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a value of type 'f32', found 0 : i32}}
  %0 = prim.pad %x low [1] high [0] value 0 : i32 : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a size that fits 64 bits in dimension 0}}
  %0 = prim.pad %x low [9223372036854775807] high [1] value 0.0 : f32 : tensor<4xf32> -> tensor<5xf32>
  return
}
