// Reductions over rows of lanes on gfx950: v_permlane32_swap of one word twice gives both lanes of a pair the words of both,
// so that an operation which takes them in any order needs no choice between them. Others choose.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx950},amd-lower-gpu)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},amd-lower-gpu)' | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: llvm.func @sum
// CHECK: %[[BOTH:.*]] = llvm.call_intrinsic "llvm.amdgcn.permlane32.swap"(%[[X:.*]], %[[X]],
// CHECK: %[[LOW:.*]] = llvm.extractvalue %[[BOTH]][0]
// CHECK: %[[HIGH:.*]] = llvm.extractvalue %[[BOTH]][1]
// CHECK: %[[A:.*]] = llvm.bitcast %[[LOW]] : i32 to f32
// CHECK: %[[B:.*]] = llvm.bitcast %[[HIGH]] : i32 to f32
// CHECK-NOT: llvm.select
// CHECK: llvm.fadd %[[A]], %[[B]] : f32
// OTHER-LABEL: llvm.func @sum
// OTHER-NOT: permlane
func.func @sum(%x: f32) -> f32 {
  %mask = arith.constant 32 : i32
  %lanes = arith.constant 64 : i32
  %y, %valid = gpu.shuffle xor %x, %mask, %lanes : f32
  %0 = arith.addf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: llvm.func @largest
// CHECK: "llvm.amdgcn.permlane16.swap"
// CHECK-NOT: llvm.select
// CHECK: llvm.call_intrinsic "llvm.maximum"(%{{.*}}, %{{.*}})
func.func @largest(%x: f32) -> f32 {
  %mask = arith.constant 16 : i32
  %lanes = arith.constant 64 : i32
  %y, %valid = gpu.shuffle xor %x, %mask, %lanes : f32
  %0 = llvm.call_intrinsic "llvm.maximum"(%y, %x) : (f32, f32) -> f32
  return %0 : f32
}

// Floats that are exchanged as words.
// CHECK-LABEL: llvm.func @words
// CHECK: "llvm.amdgcn.permlane32.swap"
// CHECK-NOT: llvm.select
// CHECK: llvm.fadd
func.func @words(%x: f32) -> f32 {
  %mask = arith.constant 32 : i32
  %lanes = arith.constant 64 : i32
  %w = arith.bitcast %x : f32 to i32
  %y, %valid = gpu.shuffle xor %w, %mask, %lanes : i32
  %z = arith.bitcast %y : i32 to f32
  %0 = arith.addf %x, %z : f32
  return %0 : f32
}

// Words that are cast twice on both sides.
// CHECK-LABEL: llvm.func @casts
// CHECK: "llvm.amdgcn.permlane32.swap"
// CHECK-NOT: llvm.select
// CHECK: llvm.add
func.func @casts(%x: i32) -> i32 {
  %mask = arith.constant 32 : i32
  %lanes = arith.constant 64 : i32
  %f = arith.bitcast %x : i32 to f32
  %w = arith.bitcast %f : f32 to i32
  %y, %valid = gpu.shuffle xor %w, %mask, %lanes : i32
  %z = arith.bitcast %y : i32 to f32
  %v = arith.bitcast %z : f32 to i32
  %0 = arith.addi %x, %v : i32
  return %0 : i32
}

// CHECK-LABEL: llvm.func @difference
// CHECK: "llvm.amdgcn.permlane32.swap"
// CHECK: %[[Y:.*]] = llvm.select
// CHECK: llvm.sub %{{.*}}, %[[Y]] : i32
func.func @difference(%x: i32) -> i32 {
  %mask = arith.constant 32 : i32
  %lanes = arith.constant 64 : i32
  %y, %valid = gpu.shuffle xor %x, %mask, %lanes : i32
  %0 = arith.subi %x, %y : i32
  return %0 : i32
}
