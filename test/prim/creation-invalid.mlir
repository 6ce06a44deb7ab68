// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @constant_c1() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "prim.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @constant_c2() {
  // expected-error @+1 {{expected a dense value or a resource blob}}
  %0 = prim.constant sparse<[[0]], [1.0]> : tensor<2xf32>
  return
}

// -----

func.func @constant_c3() {
  // expected-error @+1 {{expected a resource blob of 12 bytes, found 8}}
  %0 = prim.constant dense_resource<blob> : tensor<3xf32>
  return
}

{-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-}

// -----

func.func @full_c1(%n: index) {
  // expected-error @+1 {{expected 2 sizes, one for each ? of the result, found 1}}
  %0 = prim.full 1.0 : f32 sizes (%n) : tensor<?x?xf32>
  return
}

// -----

func.func @full_c2() {
  // expected-error @+1 {{expected a value of type 'f32', found 1 : i32}}
  %0 = prim.full 1 : i32 : tensor<4xf32>
  return
}

// -----

func.func @iota_c1(%n: index) {
  // expected-error @+1 {{expected 0 sizes, one for each ? of the result, found 1}}
  %0 = prim.iota dim 0 sizes (%n) : tensor<4xi32>
  return
}

// -----

func.func @iota_c2() {
  // expected-error @+1 {{expected 'dim' in [0, 1), found -1}}
  %0 = prim.iota dim -1 : tensor<4xi32>
  return
}
