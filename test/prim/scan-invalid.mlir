// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @scan_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected 'dim' in [0, 1), found 1}}
  %0 = prim.scan sum %x dim 1 : tensor<8xf32>
  return
}

// -----

func.func @scan_c2(%x: tensor<8xi32>) {
  // expected-error @+1 {{expected floats for 'logsumexp', found 'i32'}}
  %0 = prim.scan logsumexp %x dim 0 : tensor<8xi32>
  return
}

// -----

func.func @arg_scan_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected 'dim' in [0, 1), found 3}}
  %0 = prim.arg_scan max %x dim 3 : tensor<8xf32> -> tensor<8xi32>
  return
}

// -----

func.func @arg_scan_c2(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected 'max' or 'min', found 'sum'}}
  %0 = prim.arg_scan sum %x dim 0 : tensor<8xf32> -> tensor<8xi32>
  return
}

// -----

func.func @arg_scan_c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected a result of i32 or i64, found 'i8'}}
  %0 = prim.arg_scan max %x dim 0 : tensor<8xf32> -> tensor<8xi8>
  return
}
