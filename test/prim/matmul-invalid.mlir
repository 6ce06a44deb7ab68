// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @dot_general_c1(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{expected as many batch and contracted dimensions on both sides, found 0 x 0 and 1 x 2}}
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0, 1] : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_general_c2(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{expected distinct dimensions of lhs, found 1 twice}}
  %0 = prim.dot_general %a, %b batch [1] x [0] contract [1] x [1] : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_general_c2_range(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{expected dimensions of rhs in [0, 2), found 9223372036854775807}}
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [9223372036854775807] : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_general_c3(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{expected matched dimensions of the same size, found 8 (lhs 1) and 4 (rhs 1)}}
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c4(%a: tensor<4x8xf16>, %b: tensor<8x4xbf16>) {
  // expected-error @+1 {{expected operands of the same element type, found 'f16' and 'bf16'}}
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4x8xf16>, tensor<8x4xbf16> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_general_c4_result(%a: tensor<4x8xi8>) {
  // expected-error @+1 {{expected a result of element type i32 or i64, found 'i8'}}
  %0 = prim.dot_general %a, %a batch [] x [] contract [1] x [1] : tensor<4x8xi8>, tensor<4x8xi8> -> tensor<4x4xi8>
  return
}

// -----

func.func @dot_general_c5(%a: tensor<4x8xf16>) {
  // expected-error @+1 {{expected f32 operands with tf32 precision, found 'f16'}}
  %0 = prim.dot_general %a, %a batch [] x [] contract [1] x [1] precision tf32 : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_general_c6(%a: tensor<4x8xf16>) {
  // expected-error @+1 {{expected a result of shape [4, 4], found [4, 5]}}
  %0 = prim.dot_general %a, %a batch [] x [] contract [1] x [1] : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<4x5xf32>
  return
}

// -----

func.func @imprecise_c7(%a: tensor<4x8xf16>) {
  // expected-error @+1 {{expected operands of 8-bit floats with 'imprecise', found 'f16'}}
  %0 = prim.dot_general %a, %a batch [] x [] contract [1] x [1] imprecise 32 : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<4x4xf32>
  return
}

// -----

func.func @imprecise_c7_negative(%a: tensor<4x8xf8E5M2>) {
  // expected-error @+1 {{expected 'imprecise' of at least 0, found -1}}
  %0 = prim.dot_general %a, %a batch [] x [] contract [1] x [1] imprecise -1 : tensor<4x8xf8E5M2>, tensor<4x8xf8E5M2> -> tensor<4x4xf32>
  return
}
