// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 'dim' in [0, 2), found 2}}
  %0 = prim.softmax %x dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 'axes' in [1, 2], found 3}}
  %0 = prim.rms_norm %x axes 3 eps 1.0e-5 : tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c2_negative(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 'axes' in [1, 2], found -1}}
  %0 = prim.rms_norm %x axes -1 eps 1.0e-5 : tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a finite 'eps' of at least 0}}
  %0 = prim.rms_norm %x axes 1 eps -1.0 : tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c4(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{expected a weight of shape [8], found [4]}}
  %0 = prim.rms_norm %x weight %w axes 1 eps 1.0e-5 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c4(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf16>) {
  // expected-error @+1 {{expected a bias of element type 'f32', found 'f16'}}
  %0 = prim.layer_norm %x weight %w bias %b axes 1 eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf16>
  return
}

// -----

func.func @layer_norm_c5(%x: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{expected a weight where there is a bias}}
  %0 = "prim.layer_norm"(%x, %b) {axes = 1 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}
    : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a query of rank at least 2, found 1}}
  %0 = prim.attention %x, %x, %x scale 1.0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<4x8xf32>, %k: tensor<4x8xf16>) {
  // expected-error @+1 {{expected a key of element type 'f32', found 'f16'}}
  %0 = prim.attention %q, %k, %q scale 1.0 : tensor<4x8xf32>, tensor<4x8xf16>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) {
  // expected-error @+1 {{expected a value of shape [6, ?], found [4, 8]}}
  %0 = prim.attention %q, %k, %q scale 1.0 : tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c4(%q: tensor<4x8xf32>, %m: tensor<1x4xf32>) {
  // expected-error @+1 {{expected a mask of shape [4, 4], found [1, 4]}}
  %0 = prim.attention %q, %q, %q mask %m scale 1.0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x4xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c5(%q: tensor<4x8xbf16>) {
  // expected-error @+1 {{expected a logarithm of element type 'f32', found 'bf16'}}
  %0, %1 = prim.attention %q, %q, %q scale 1.0 : tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x8xbf16>, tensor<4xbf16>
  return
}

// -----

func.func @attention_c5_shape(%q: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a logarithm of shape [4], found [8]}}
  %0, %1 = prim.attention %q, %q, %q scale 1.0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @attention_backward_c1(%q: tensor<4xf32>, %l: tensor<f32>) {
  // expected-error @+1 {{expected a query of rank at least 2, found 1}}
  %0:3 = prim.attention_backward %q, %q, %q output %q gradient %q logsumexp %l scale 1.0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  return
}

// -----

func.func @attention_backward_c2(%q: tensor<4x8xf32>, %g: tensor<4x8xf16>, %l: tensor<4xf32>) {
  // expected-error @+1 {{expected a gradient of element type 'f32', found 'f16'}}
  %0:3 = prim.attention_backward %q, %q, %q output %q gradient %g logsumexp %l scale 1.0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf16>, tensor<4xf32>
  return
}

// -----

func.func @attention_backward_c3(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %l: tensor<4xf32>) {
  // expected-error @+1 {{expected a value of shape [6, ?], found [4, 8]}}
  %0:3 = prim.attention_backward %q, %k, %q output %q gradient %q logsumexp %l scale 1.0 : tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @attention_backward_c4(%q: tensor<4x8xf32>, %o: tensor<4x6xf32>, %l: tensor<4xf32>) {
  // expected-error @+1 {{expected an output of shape [4, 8], found [4, 6]}}
  %0:3 = prim.attention_backward %q, %q, %q output %o gradient %q logsumexp %l scale 1.0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x6xf32>, tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @attention_backward_c5(%q: tensor<4x8xf64>, %l: tensor<4xf32>) {
  // expected-error @+1 {{expected a logarithm of element type 'f64', found 'f32'}}
  %0:3 = prim.attention_backward %q, %q, %q output %q gradient %q logsumexp %l scale 1.0 : tensor<4x8xf64>, tensor<4x8xf64>, tensor<4x8xf64>, tensor<4x8xf64>, tensor<4x8xf64>, tensor<4xf32>
  return
}

// -----

func.func @attention_backward_c6(%q: tensor<4x8xf32>, %l: tensor<4xf32>, %m: tensor<1x4xf32>) {
  // expected-error @+1 {{expected a mask of shape [4, 4], found [1, 4]}}
  %0:3 = prim.attention_backward %q, %q, %q output %q gradient %q logsumexp %l mask %m scale 1.0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<1x4xf32>
  return
}
