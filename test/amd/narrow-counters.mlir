// A loop with matrix instructions whose bounds are known and small counts in 32 bits; its body gets the number in 64.
// RUN: kiln-opt %s --amd-narrow-counters | FileCheck %s

// CHECK-LABEL: func.func @small
// CHECK-DAG: %[[BEGIN:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[END:.*]] = arith.constant 64 : i32
// CHECK-DAG: %[[STEP:.*]] = arith.constant 4 : i32
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %[[STEP]] iter_args(%{{.*}} = %{{.*}}, %[[S:.*]] = %{{.*}}) -> (f32, i64) : i32
// CHECK: %[[WIDE:.*]] = arith.extui %[[I]] : i32 to i64
// CHECK: %[[N:.*]] = arith.addi %[[S]], %[[WIDE]] : i64
// CHECK: scf.yield %{{.*}}, %[[N]]
func.func @small(%a: vector<4xf16>, %acc: f32, %first: i64) -> (f32, i64) {
  %begin = arith.constant 2 : i64
  %end = arith.constant 64 : i64
  %step = arith.constant 4 : i64
  %r:2 = scf.for %i = %begin to %end step %step iter_args(%s = %acc, %t = %first) -> (f32, i64) : i64 {
    %d = simt.mma "mfma.f32.16x16x16f16" (%a) by (%a) plus (%s) : vector<4xf16>, vector<4xf16>, f32
    %n = arith.addi %t, %i : i64
    scf.yield %d, %n : f32, i64
  }
  return %r#0, %r#1 : f32, i64
}

// Bounds that are large, negative or not known stay, and loops without matrix instructions.
// CHECK-LABEL: func.func @others
// CHECK-NOT: arith.extui
// CHECK: return
func.func @others(%a: vector<4xf16>, %acc: f32, %n: i64, %first: i64) -> (f32, i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %below = arith.constant -3 : i64
  %large = arith.constant 4294967296 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %acc) -> f32 : i64 {
    %d = simt.mma "mfma.f32.16x16x16f16" (%a) by (%a) plus (%s) : vector<4xf16>, vector<4xf16>, f32
    scf.yield %d : f32
  }
  %t = scf.for %i = %c0 to %large step %c1 iter_args(%s = %r) -> f32 : i64 {
    %d = simt.mma "mfma.f32.16x16x16f16" (%a) by (%a) plus (%s) : vector<4xf16>, vector<4xf16>, f32
    scf.yield %d : f32
  }
  %u = scf.for %i = %below to %c1 step %c1 iter_args(%s = %t) -> f32 : i64 {
    %d = simt.mma "mfma.f32.16x16x16f16" (%a) by (%a) plus (%s) : vector<4xf16>, vector<4xf16>, f32
    scf.yield %d : f32
  }
  %v = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %first) -> i64 : i64 {
    %m = arith.addi %s, %i : i64
    scf.yield %m : i64
  }
  return %u, %v : f32, i64
}
