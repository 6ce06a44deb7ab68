// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --nvidia-lower-gpu

func.func @tensor() {
  // expected-error@+1 {{unsupported: a value of type 'tensor<4xf32>' in the code of a thread}}
  %a = arith.constant dense<1.0> : tensor<4xf32>
  return
}

// -----

func.func @region(%p: i1) {
  // expected-error@+1 {{unsupported: no code for 'scf.if' in the code of a thread}}
  scf.if %p {
  }
  return
}

// -----

func.func @narrow(%x: f32) -> f8E5M2 {
  // expected-error@+1 {{unsupported: a conversion of small floats, which 'nvidia-lower-math' should have replaced}}
  %n = arith.truncf %x : f32 to f8E5M2
  return %n : f8E5M2
}

// -----

// expected-error@+1 {{unsupported: a value of type 'memref<4xf32>'}}
func.func @memory(%x: memref<4xf32>) {
  return
}

// -----

func.func @wide(%x: i40, %o: i32, %w: i32) {
  // expected-error@+1 {{unsupported: a shuffle of 'i40'}}
  %s, %v = gpu.shuffle xor %x, %o, %w : i40
  return
}
