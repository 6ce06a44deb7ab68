// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and conversions of scalars become arithmetic, intrinsics and calls of libdevice.
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia --nvidia-lower-math | FileCheck %s --check-prefixes=CHECK,SM90 --implicit-check-not=math.exp --implicit-check-not=math.sin
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_80 --nvidia-lower-math | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia --nvidia-lower-math --nvidia-lower-gpu | FileCheck %s --check-prefix=LLVM --implicit-check-not=math. --implicit-check-not=arith.

// Helpers come first.
// CHECK-DAG: llvm.func internal @nvidia_ipowi_i32(%{{.*}}: i32, %{{.*}}: i32) -> i32
// CHECK-DAG: llvm.func @__nv_fmodf(f32, f32) -> f32
// CHECK-DAG: llvm.func @__nv_exp(f64) -> f64
// CHECK-DAG: llvm.func internal @nvidia_quarter_turn(%{{.*}}: f32) -> !llvm.struct<(f32, i32)>

// CHECK-LABEL: llvm.func @functions
// LLVM-LABEL: llvm.func @functions
// LLVM-SAME: denormal_fp_math_f32 = "preserve-sign,preserve-sign"
llvm.func @functions(%h: bf16, %f: f32, %d: f64, %n: i32) -> f32
    attributes {gpu.numerics = #tile.numerics<approx = true, ftz = true>} {
  // CHECK: "llvm.nvvm.fma.rn.sat.f"(
  // CHECK: "llvm.nvvm.ex2.approx.ftz.f32"(
  %0 = math.exp %f : f32
  // CHECK: "llvm.nvvm.ex2.approx.ftz.f32"(%{{.*}}) : (f32) -> f32
  %1 = math.exp2 %0 : f32
  // CHECK: llvm.call @__nv_exp(
  %2 = math.exp %d : f64
  // CHECK: %[[W:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[S:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"(%[[W]])
  // CHECK: arith.truncf %[[S]] : f32 to bf16
  %3 = math.rsqrt %h : bf16
  // CHECK: "llvm.nvvm.sqrt.approx.ftz.f"(
  %4 = math.sqrt %1 : f32
  // CHECK: "llvm.nvvm.div.full.ftz"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  // CHECK: arith.divf %{{.*}}, %{{[^ ]*}} : f32
  %quick = arith.divf %4, %1 fastmath<afn> : f32
  %right = arith.divf %quick, %1 : f32
  // CHECK: "llvm.nvvm.lg2.approx.ftz.f"(%{{.*}}) : (f32) -> f32
  %log2 = math.log2 %right fastmath<afn> : f32
  // CHECK: %[[L:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(
  // CHECK: arith.mulf %[[L]], %{{.*}} : f32
  %log = math.log %log2 fastmath<afn> : f32
  // A power of a number below 0 is one of its magnitude, with a sign, or NaN.
  // CHECK: %[[M:.*]] = llvm.intr.fabs
  // CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[M]])
  // CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %[[P]]
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[Y]])
  // CHECK-COUNT-2: llvm.intr.trunc
  // CHECK-COUNT-3: arith.select
  %power = math.powf %log, %log2 fastmath<afn> : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.sin.approx.ftz.f"(
  %sine = math.sin %power fastmath<afn> : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.cos.approx.ftz.f"(
  %cosine = math.cos %sine fastmath<afn> : f32
  // CHECK: llvm.call @nvidia_quarter_turn(
  %all = arith.addf %right, %cosine : f32
  %5 = math.sin %all : f32
  // CHECK: math.floor {{.*}} : f32
  %6 = math.floor %5 : f32
  // CHECK: %[[V:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[C:.*]] = math.ceil %[[V]] : f32
  // CHECK: arith.truncf %[[C]]
  %7 = math.ceil %3 : bf16
  // CHECK: llvm.call @__nv_fmodf(
  %8 = arith.remf %6, %5 : f32
  // CHECK: llvm.call @nvidia_ipowi_i32(
  %9 = math.ipowi %n, %n : i32
  // CHECK: arith.cmpf olt
  // CHECK: arith.cmpf oge
  %10 = math.isnormal %7 : bf16
  %11 = arith.extui %10 : i1 to i32
  %12 = arith.addi %9, %11 : i32
  %13 = arith.sitofp %12 : i32 to f32
  %14 = arith.addf %13, %8 : f32
  %15 = arith.truncf %2 : f64 to f32
  %16 = arith.addf %14, %15 : f32
  llvm.return %16 : f32
}

// CHECK-LABEL: llvm.func @conversions
llvm.func @conversions(%f: f32, %d: f64, %n: i64) -> f32 {
  // SM90: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
  // SM80-NOT: e4m3x2
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E4M3FN
  %0 = arith.truncf %f : f32 to f8E4M3FN
  // SM90: "llvm.nvvm.e4m3x2.to.f16x2.rn"
  // SM80: arith.mulf
  %1 = arith.extf %0 : f8E4M3FN to f32
  // CHECK: "llvm.nvvm.d2f.rz"(
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  %2 = arith.truncf %d : f64 to bf16
  // SM90: arith.sitofp %{{.*}} : i64 to bf16
  // SM80: "llvm.nvvm.ll2f.rz"(
  %3 = arith.sitofp %n : i64 to bf16
  // CHECK: arith.shrui
  // CHECK: arith.bitcast %{{.*}} : i16 to bf16
  %4 = arith.truncf %f toward_zero : f32 to bf16
  %5 = arith.addf %2, %3 : bf16
  %6 = arith.addf %5, %4 : bf16
  %7 = arith.extf %6 : bf16 to f32
  %8 = arith.addf %7, %1 : f32
  llvm.return %8 : f32
}

// What LLVM would do by the sign of NaN, or without one.
// CHECK-LABEL: llvm.func @signs
llvm.func @signs(%p: i1, %x: f16, %y: f16) -> f16 {
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : bf16
  // CHECK-NOT: arith.sitofp
  %0 = arith.sitofp %p : i1 to bf16
  %1 = arith.extf %0 : bf16 to f32
  %2 = arith.truncf %1 : f32 to f16
  %3 = arith.addf %2, %x : f16
  // CHECK: llvm.inline_asm "{ .reg .b16 sign; {{.*}} : (i16, i16) -> i16
  // CHECK-NOT: math.copysign
  %4 = math.copysign %3, %y : f16
  llvm.return %4 : f16
}

// Integers become f16 through f32, and bf16 where f32 has all that they can be: both take less than one conversion.
// CHECK-LABEL: llvm.func @integers
llvm.func @integers(%n: i32, %u: i8) -> f32 {
  %mask = arith.constant 15 : i32
  // CHECK: %[[F:.*]] = arith.sitofp %{{.*}} : i32 to f32
  // CHECK: "llvm.nvvm.f2h.rn"(%[[F]]) : (f32) -> i16
  // CHECK: arith.bitcast %{{.*}} : i16 to f16
  %0 = arith.sitofp %n : i32 to f16
  // CHECK: %[[W:.*]] = arith.extui %{{.*}} : i8 to i32
  // CHECK: arith.uitofp %[[W]] : i32 to f32
  %1 = arith.uitofp %u : i8 to f16
  // CHECK: %[[A:.*]] = arith.andi
  // CHECK: %[[B:.*]] = arith.andi
  // CHECK: %[[D:.*]] = arith.subi %[[A]], %[[B]]
  // CHECK: %[[G:.*]] = arith.sitofp %[[D]] : i32 to f32
  // CHECK: "llvm.nvvm.f2bf16.rn"(%[[G]]) : (f32) -> bf16
  %w = arith.extui %u : i8 to i32
  %2 = arith.andi %n, %mask : i32
  %3 = arith.andi %w, %mask : i32
  %4 = arith.subi %2, %3 : i32
  %5 = arith.sitofp %4 : i32 to bf16
  // SM90: arith.sitofp %{{.*}} : i32 to bf16
  // SM80: "llvm.nvvm.i2f.rz"(
  %6 = arith.sitofp %n : i32 to bf16
  %7 = arith.addf %0, %1 : f16
  %8 = arith.addf %5, %6 : bf16
  %9 = arith.extf %7 : f16 to f32
  %10 = arith.extf %8 : bf16 to f32
  %11 = arith.addf %9, %10 : f32
  llvm.return %11 : f32
}

// The largest number below one half rounds halves away from zero.
// CHECK-LABEL: llvm.func @rounds
// CHECK-SAME: (%[[X:.*]]: f32, %[[H:.*]]: f16)
llvm.func @rounds(%x: f32, %h: f16) -> f32 {
  // CHECK: %[[HALF:.*]] = arith.constant 0.49999997
  // CHECK: %[[SIGNED:.*]] = math.copysign %[[HALF]], %[[X]] : f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[SIGNED]] : f32
  // CHECK: math.trunc %[[SUM]] : f32
  // CHECK-NOT: math.round
  %0 = math.round %x : f32
  // CHECK: arith.extf %[[H]] : f16 to f32
  // CHECK: math.trunc
  // CHECK-NOT: math.round
  %1 = math.round %h : f16
  %2 = arith.extf %1 : f16 to f32
  %3 = arith.addf %0, %2 : f32
  llvm.return %3 : f32
}
