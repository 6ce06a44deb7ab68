// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses that carry an extent below 2^31 bytes become those of raw buffers: lanes that take no part have an offset that is
// outside, and what is outside reads 0.
// RUN: kiln-opt %s --amd-lower-accesses | FileCheck %s
// RUN: kiln-opt %s --amd-lower-accesses --simt-expand-accesses --amd-lower-simt | FileCheck %s --check-prefix=BARRIER

module attributes {kiln.target = #kiln.target<name = "amd", chip = "gfx942", cpu = "gfx942">} {

// One descriptor for a view. Zeros need no choice, other values do.
// CHECK-LABEL: llvm.func @masked(
// CHECK: %[[RECORDS:.*]] = arith.constant 4096 : i64
// CHECK: %[[VIEW:.*]] = llvm.call_intrinsic "llvm.amdgcn.make.buffer.rsrc"(%arg0, %{{.*}}, %[[RECORDS]], %{{.*}}) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
// CHECK-NOT: make.buffer.rsrc
// CHECK: %[[AT:.*]] = arith.trunci %arg1 : i64 to i32
// CHECK: %[[OUTSIDE:.*]] = arith.constant -2147483648 : i32
// CHECK: %[[PLACE:.*]] = arith.select %arg2, %[[AT]], %[[OUTSIDE]] : i32
// CHECK: %[[WORDS:.*]] = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"(%[[VIEW]], %[[PLACE]], %{{.*}}, %{{.*}}) : (!llvm.ptr<8>, i32, i32, i32) -> vector<4xi32>
// CHECK: %[[ZEROS:.*]] = llvm.bitcast %[[WORDS]] : vector<4xi32> to vector<4xf32>
// CHECK-NOT: arith.select %arg2, %[[ZEROS]]
// CHECK: %[[ONE:.*]] = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"({{.*}}) : (!llvm.ptr<8>, i32, i32, i32) -> i32
// CHECK: %[[FLOAT:.*]] = llvm.bitcast %[[ONE]] : i32 to f32
// CHECK: arith.select %arg2, %[[FLOAT]], %arg3 : f32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.store"(%{{.*}}, %[[VIEW]], {{.*}}) : (vector<4xi32>, !llvm.ptr<8>, i32, i32, i32)
llvm.func @masked(%base: !llvm.ptr<1>, %offset: i64, %mask: i1, %other: f32) -> f32 {
  %extent = arith.constant 4096 : i64
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %v = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> mask %mask other %zero : vector<4xf32> align 16 : !llvm.ptr<1> -> vector<4xf32>
  %s = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> mask %mask other %other : f32 align 4 : !llvm.ptr<1> -> f32
  simt.store %v, %p in %base[%offset] of %extent : !llvm.ptr<1> mask %mask align 16 : vector<4xf32>, !llvm.ptr<1>
  llvm.return %s : f32
}

// 32 bytes are two accesses.
// CHECK-LABEL: llvm.func @wide(
// CHECK-COUNT-2: raw.ptr.buffer.load"({{.*}} -> vector<4xi32>
// CHECK-NOT: raw.ptr.buffer.load
llvm.func @wide(%base: !llvm.ptr<1>, %offset: i64) -> vector<8xf32> {
  %extent = arith.constant 64 : i64
  %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %v = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> align 16 : !llvm.ptr<1> -> vector<8xf32>
  llvm.return %v : vector<8xf32>
}

// An extent whose range is known from how it is computed.
// CHECK-LABEL: llvm.func @bounded(
// CHECK: raw.ptr.buffer.load
llvm.func @bounded(%base: !llvm.ptr<1>, %offset: i64, %n: i64) -> f32 {
  %c0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i64
  %c1024 = arith.constant 1024 : i64
  %most = arith.minsi %n, %c1024 : i64
  %count = arith.maxsi %most, %c0 : i64
  %extent = arith.muli %count, %c4 : i64
  %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %v = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> align 4 : !llvm.ptr<1> -> f32
  llvm.return %v : f32
}

// An extent of which the range of a parameter tells that it is small, and zeros that are put together: no choice follows the load.
// CHECK-LABEL: llvm.func @annotated(
// CHECK: %[[LOADED:.*]] = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"
// CHECK-NEXT: %[[RESULT:.*]] = llvm.bitcast %[[LOADED]] : i32 to vector<2xf16>
// CHECK-NEXT: llvm.return %[[RESULT]]
llvm.func @annotated(%base: !llvm.ptr<1>, %offset: i64, %mask: i1, %stride: i32 {llvm.range = #llvm.constant_range<i32, 0, 1000000>}) -> vector<2xf16> {
  %zero = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %none = llvm.mlir.poison : vector<2xf16>
  %half = llvm.insertelement %zero, %none[%c0 : i64] : vector<2xf16>
  %zeros = llvm.insertelement %zero, %half[%c1 : i64] : vector<2xf16>
  %c2000 = arith.constant 2000 : i64
  %steps = arith.extsi %stride : i32 to i64
  %extent = arith.muli %steps, %c2000 : i64
  %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %v = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> mask %mask other %zeros : vector<2xf16> align 4 : !llvm.ptr<1> -> vector<2xf16>
  llvm.return %v : vector<2xf16>
}

// Left alone: extents that are not known to be small, volatile accesses, words that may begin anywhere, and accesses
// without an extent.
// CHECK-LABEL: llvm.func @others(
// CHECK-NOT: buffer
llvm.func @others(%base: !llvm.ptr<1>, %offset: i64, %n: i64) {
  %extent = arith.constant 64 : i64
  %large = arith.constant 2147483648 : i64
  %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %a = simt.load %p in %base[%offset] of %n : !llvm.ptr<1> align 4 : !llvm.ptr<1> -> f32
  %b = simt.load %p in %base[%offset] of %large : !llvm.ptr<1> align 4 : !llvm.ptr<1> -> f32
  %c = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> align 4 volatile : !llvm.ptr<1> -> f32
  %d = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> align 2 : !llvm.ptr<1> -> f32
  %e = simt.load %p align 4 : !llvm.ptr<1> -> f32
  llvm.return
}

// Barriers for the sake of LDS leave accesses to global memory in flight.
// BARRIER: #[[LOCAL:.*]] = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">
// BARRIER-LABEL: llvm.func @barriers(
// BARRIER: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[LOCAL]]}
// BARRIER: llvm.call_intrinsic "llvm.amdgcn.s.barrier"()
// BARRIER: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[LOCAL]]}
// BARRIER: gpu.barrier
llvm.func @barriers() {
  simt.barrier shared
  simt.barrier all
  llvm.return
}
}
