// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --kiln-set-target=spec=nvidia:sm_75 --nvidia-lower-math

llvm.func @vector(%x: vector<4xf32>) {
  // expected-error@+1 {{unsupported: 'math.exp' of 'vector<4xf32>' in the code of a thread}}
  %y = math.exp %x : vector<4xf32>
  llvm.return
}

// -----

func.func @narrow(%x: f32) {
  // expected-error@+1 {{unsupported: a conversion to 'f8E4M3B11FNUZ'}}
  %y = arith.truncf %x : f32 to f8E4M3B11FNUZ
  return
}

// -----

func.func @mode(%x: f32) {
  // expected-error@+1 {{unsupported: the rounding mode of a conversion from 'f32' to 'f16'}}
  %y = arith.truncf %x upward : f32 to f16
  return
}

// -----

func.func @early(%x: f32) {
  // expected-error@+1 {{unsupported: a conversion to f16 towards zero before sm_80}}
  %y = arith.truncf %x toward_zero : f32 to f16
  return
}

// -----

llvm.func @unknown(%x: f32) -> f32 {
  // expected-error@+1 {{unsupported: function 'glimmer' of mine}}
  %y = tile.call_extern "glimmer" from "mine" pure (%x) : (f32) -> f32
  llvm.return %y : f32
}
