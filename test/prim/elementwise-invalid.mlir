// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @add_c1(%a: tensor<4xf32>, %b: tensor<?xf32>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{expects different type than prior uses}}
  %0 = prim.add %a, %b : tensor<4xf32>
  return
}

// -----

func.func @exp_type(%a: tensor<4xi32>) {
  // expected-error @+1 {{must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float or float of at most 8 bits values}}
  %0 = prim.exp %a : tensor<4xi32>
  return
}

// -----

func.func @clamp_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected bounds of type 'f32', found 0 : i32}}
  %0 = prim.clamp %x min 0 : i32 max 6.0 : f32 : tensor<4xf32>
  return
}

// -----

func.func @clamp_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected min <= max, found}}
  %0 = prim.clamp %x min 7.0 : f32 max 6.0 : f32 : tensor<4xf32>
  return
}

// -----

func.func @clamp_c2_nan(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected min <= max, found}}
  %0 = prim.clamp %x min 0x7FC00000 : f32 max 6.0 : f32 : tensor<4xf32>
  return
}

// -----

func.func @clamp_c2_signed(%x: tensor<4xi8>) {
  // expected-error @+1 {{expected min <= max, found 1 : i8 and -1 : i8}}
  %0 = prim.clamp %x min 1 : i8 max -1 : i8 : tensor<4xi8>
  return
}

// -----

func.func @clamp_c2_unsigned(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected no 'unsigned' for floats}}
  %0 = prim.clamp %x min 0.0 : f32 max 1.0 : f32 unsigned : tensor<4xf32>
  return
}

// -----

func.func @div_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'f32'}}
  %0 = prim.div %x, %x unsigned : tensor<4xf32>
  return
}

// -----

func.func @remainder_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'f32'}}
  %0 = prim.remainder %x, %x unsigned : tensor<4xf32>
  return
}

// -----

func.func @fmod_c1(%x: tensor<4xf64>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'f64'}}
  %0 = prim.fmod %x, %x unsigned : tensor<4xf64>
  return
}

// -----

func.func @maximum_c1(%x: tensor<4xi1>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'i1'}}
  %0 = prim.maximum %x, %x unsigned : tensor<4xi1>
  return
}

// -----

func.func @minimum_c1(%x: tensor<4xbf16>) {
  // expected-error @+1 {{expected no 'unsigned' for elements of type 'bf16'}}
  %0 = prim.minimum %x, %x unsigned : tensor<4xbf16>
  return
}
