// RUN: kiln-opt %s --convert-tosa-to-prim --split-input-file --verify-diagnostics

// What the specification of TOSA forbids, and upstream's verifier lets through.

func.func @shift_i8(%x: tensor<4xi8>) -> tensor<4xi32> {
  %s = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error@+1 {{unsupported: tosa.mul has a shift of 3, which is for operands of i32 only}}
  %0 = tosa.mul %x, %x, %s : (tensor<4xi8>, tensor<4xi8>, tensor<1xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @shift_i16(%x: tensor<4xi16>) -> tensor<4xi32> {
  %s = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error@+1 {{unsupported: tosa.mul has a shift of 1, which is for operands of i32 only}}
  %0 = tosa.mul %x, %x, %s : (tensor<4xi16>, tensor<4xi16>, tensor<1xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @wide_multiplier(%x: tensor<4xi48>) -> tensor<4xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %y = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error@+1 {{unsupported: tosa.rescale has multipliers of 32 bits for operands of 48}}
  %0 = tosa.rescale %x, %m, %s, %z, %y {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4xi48>, tensor<1xi32>, tensor<1xi8>, tensor<1xi48>, tensor<1xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @offset(%x: tensor<1x4x4x1xi8>) -> tensor<1x8x8x1xi8> {
  %s = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-3, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[-2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{unsupported: tosa.resize has an offset that TOSA does not allow}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x1xi8>
  return %0 : tensor<1x8x8x1xi8>
}

// -----

func.func @interpolated(%x: tensor<1x4x4x1xi8>) -> tensor<1x8x8x1xi8> {
  %s = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{unsupported: tosa.resize interpolates i8 with a result of i8}}
  %0 = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x4x4x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x1xi8>
  return %0 : tensor<1x8x8x1xi8>
}
