// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of C are those of libdevice; libdevice.mlir links some.
// RUN: kiln-opt %s --nvidia-lower-simt --nvidia-lower-math | FileCheck %s

// CHECK-LABEL: llvm.func @functions
llvm.func @functions(%x: f32, %d: f64, %n: i32) -> f64 {
  // CHECK: llvm.call @__nv_hypotf(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  %a = tile.call_extern "hypot" from "" pure (%x, %x) : (f32, f32) -> f32
  // CHECK: llvm.call @__nv_jnf(%{{.*}}, %{{.*}}) : (i32, f32) -> f32
  %b = tile.call_extern "jn" from "" pure (%n, %a) : (i32, f32) -> f32
  // CHECK: llvm.call @__nv_ilogb(%{{.*}}) : (f64) -> i32
  %c = tile.call_extern "ilogb" from "" pure (%d) : (f64) -> i32
  // CHECK: llvm.call @__nv_fast_expf(%{{.*}}) : (f32) -> f32
  %e = tile.call_extern "__nv_fast_expf" from "libdevice" pure (%b) : (f32) -> f32
  %f = arith.extf %e : f32 to f64
  // CHECK: llvm.call @__nv_scalbn(%{{.*}}, %{{.*}}) : (f64, i32) -> f64
  %g = tile.call_extern "scalbn" from "" pure (%f, %c) : (f64, i32) -> f64
  llvm.return %g : f64
}
