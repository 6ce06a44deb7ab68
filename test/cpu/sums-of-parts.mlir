// A micro-kernel adds up its own steps from zeros, and what memory holds of earlier ones at the end: rounding errors of a
// long product grow with the steps of a part and with the number of parts. Integers begin with what memory holds.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},cpu-lower-micro-kernels)' | FileCheck %s

// CHECK-LABEL: func.func private @kiln_micro_kernel_f32_1x8(
// CHECK-NOT: llvm.load
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NOT: llvm.load
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: %[[OWN:.*]] = scf.for
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[EARLIER:.*]] = llvm.load %arg3
// CHECK-NEXT: %[[ALL:.*]] = arith.addf %[[EARLIER]], %[[OWN]] : vector<8xf32>
// CHECK-NEXT: llvm.store %[[ALL]], %arg3

// CHECK-LABEL: func.func private @kiln_micro_kernel_f32_1x8_fresh(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %cst)
// CHECK: %[[OWN:.*]] = scf.for
// CHECK: %[[SUM:.*]] = scf.if %arg6
// CHECK-NEXT: scf.yield %[[OWN]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[EARLIER:.*]] = llvm.load %arg3
// CHECK-NEXT: %[[ALL:.*]] = arith.addf %[[EARLIER]], %[[OWN]] : vector<8xf32>
// CHECK-NEXT: scf.yield %[[ALL]]
// CHECK-NEXT: }
// CHECK-NEXT: llvm.store %[[SUM]], %arg3

// CHECK-LABEL: func.func private @kiln_micro_kernel_i32_1x8(
// CHECK: %[[EARLIER:.*]] = llvm.load %arg3
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[EARLIER]])
// CHECK-NOT: llvm.load %arg3
// CHECK: return
func.func @products(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %n: i64, %first: i1) {
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n block [1, 8] groups [1, 1] : f32, f32, f32
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n fresh %first block [1, 8] groups [1, 1] : f32, f32, f32
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n block [1, 8] groups [1, 1] : si32, si32, i32
  return
}
