// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @convert_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{failed to verify that all of {operand, result} have same shape}}
  %0 = prim.convert_element_type %x : tensor<4xf32> -> tensor<?xi8>
  return
}

// -----

func.func @convert_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 'round' on float to integer only, found 'f32' to 'f16'}}
  %0 = prim.convert_element_type %x round : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

func.func @convert_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected an integer operand with 'from_unsigned', found 'f32'}}
  %0 = prim.convert_element_type %x from_unsigned : tensor<4xf32> -> tensor<4xi8>
  return
}

// -----

func.func @convert_c4(%x: tensor<4xi8>) {
  // expected-error @+1 {{expected an integer result with 'to_unsigned', found 'f32'}}
  %0 = prim.convert_element_type %x to_unsigned : tensor<4xi8> -> tensor<4xf32>
  return
}

// -----

func.func @rescale_c2(%x: tensor<4xi8>) {
  // expected-error @+1 {{expected as many shifts as multipliers, found 2 and 1}}
  %0 = prim.rescale %x {multiplier = array<i32: 1>, shift = array<i8: 30, 30>, input_zp = 0 : i32, output_zp = 0 : i32, scale32} : tensor<4xi8> -> tensor<4xi8>
  return
}

// -----

func.func @rescale_c3(%x: tensor<4xi8>) {
  // expected-error @+1 {{expected one multiplier, or one for each index of the last dimension, found 3 for shape [4]}}
  %0 = prim.rescale %x {multiplier = array<i32: 1, 1, 1>, shift = array<i8: 30, 30, 30>, input_zp = 0 : i32, output_zp = 0 : i32, scale32} : tensor<4xi8> -> tensor<4xi8>
  return
}

// -----

func.func @rescale_c4(%x: tensor<4xi8>) {
  // expected-error @+1 {{expected shifts in [2, 62], found -1}}
  %0 = prim.rescale %x {multiplier = array<i32: 1>, shift = array<i8: -1>, input_zp = 0 : i32, output_zp = 0 : i32, scale32} : tensor<4xi8> -> tensor<4xi8>
  return
}

// -----

func.func @rescale_c5(%x: tensor<4xi8>) {
  // expected-error @+1 {{expected multipliers in [0, 32767], found 40000}}
  %0 = prim.rescale %x {multiplier = array<i32: 40000>, shift = array<i8: 30>, input_zp = 0 : i32, output_zp = 0 : i32} : tensor<4xi8> -> tensor<4xi8>
  return
}

// -----

func.func @rescale_c6(%x: tensor<4xi8>) {
  // expected-error @+1 {{expected 'scale32' with double rounding}}
  %0 = prim.rescale %x rounding double {multiplier = array<i32: 4>, shift = array<i8: 30>, input_zp = 0 : i32, output_zp = 0 : i32} : tensor<4xi8> -> tensor<4xi8>
  return
}

// -----

func.func @table_c2(%x: tensor<4xi32>, %t: tensor<256xi32>) {
  // expected-error @+1 {{expected an operand of i8 or i16, found 'i32'}}
  %0 = prim.table %x, %t : tensor<4xi32>, tensor<256xi32> -> tensor<4xi32>
  return
}

// -----

func.func @table_c3(%x: tensor<4xi8>, %t: tensor<255xi8>) {
  // expected-error @+1 {{expected a table of shape [256], found [255]}}
  %0 = prim.table %x, %t : tensor<4xi8>, tensor<255xi8> -> tensor<4xi8>
  return
}

// -----

func.func @table_c4(%x: tensor<4xi16>, %t: tensor<513xi16>) {
  // expected-error @+1 {{expected a result of element type 'i32', found 'i16'}}
  %0 = prim.table %x, %t : tensor<4xi16>, tensor<513xi16> -> tensor<4xi16>
  return
}

// -----

func.func @bitcast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected element types of one width, found 'f32' and 'i64'}}
  %0 = prim.bitcast %x : tensor<4xf32> -> tensor<4xi64>
  return
}

// -----

func.func @bitcast_convert_c1(%x: tensor<4xf64>) {
  // expected-error @+1 {{expected shape [4, 2] for the elements of type 'i32', found [4, 3]}}
  %0 = prim.bitcast_convert %x : tensor<4xf64> -> tensor<4x3xi32>
  return
}

// -----

func.func @bitcast_convert_c1_wider(%x: tensor<4x2xi16>) {
  // expected-error @+1 {{expected shape [4, 4] for the elements of type 'i16', found [4, 2]}}
  %0 = prim.bitcast_convert %x : tensor<4x2xi16> -> tensor<4xf64>
  return
}

// -----

func.func @bitcast_convert_c1_rank(%x: tensor<i16>) {
  // expected-error @+1 {{expected shape [2] for the elements of type 'i16', found []}}
  %0 = prim.bitcast_convert %x : tensor<i16> -> tensor<f32>
  return
}
