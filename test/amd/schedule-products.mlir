// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves that multiply go before others of their SIMD, and reads of LDS are spread among the matrix instructions.
// RUN: kiln-opt %s --amd-schedule-products --split-input-file | FileCheck %s
// RUN: kiln-opt %s --amd-schedule-products="priorities=0 waves=2" --split-input-file | FileCheck %s --check-prefix=WAVES
// RUN: kiln-opt %s --amd-schedule-products="groups=0" --split-input-file | FileCheck %s --check-prefix=PLAIN

// What the first product needs is read first, the other reads go among the products.
// CHECK-LABEL: llvm.func @run(
// CHECK: scf.for
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: llvm.load
// CHECK-COUNT-4: simt.mma
// CHECK-NEXT: rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK: rocdl.s.setprio 0
// CHECK: simt.barrier
// WAVES-LABEL: llvm.func @run(
// WAVES-SAME: passthrough = {{\[\[}}"amdgpu-waves-per-eu", "1,2"]]
// WAVES-NOT: setprio
// WAVES: rocdl.sched.group.barrier
// PLAIN-LABEL: llvm.func @run(
// PLAIN: rocdl.s.setprio 1
// PLAIN-NOT: group.barrier
// PLAIN: rocdl.s.setprio 0
module attributes {kiln.target = #kiln.target<name = "amd", chip = "gfx942", cpu = "gfx942",
  memories = [#kiln.memory<name = "registers", scope = thread, kind = register>],
  units = [#kiln.unit<name = "matrix", kind = matrix>],
  matrix_instructions = [#kiln.matrix_instruction<name = "mfma.f32.32x32x8f16", unit = "matrix", m = <32>, n = <32>, k = <8>,
    lhs = <types = [f16], home = "registers">, rhs = <types = [f16], home = "registers">, acc = <types = [f32], home = "registers">,
    cycles = 32>]>} {
llvm.func @run(%l: !llvm.ptr<3>, %b: vector<4xf16>, %begin: i32, %end: i32, %zero: vector<16xf32>) -> vector<16xf32>
    attributes {simt.block = #simt.thread_block<threads = 512, shared_bytes = 0>} {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (vector<16xf32>) : i32 {
    %a0 = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %s0 = simt.mma "mfma.f32.32x32x8f16" (%a0) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %a1 = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %s1 = simt.mma "mfma.f32.32x32x8f16" (%a1) by (%b) plus (%s0) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %a2 = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %s2 = simt.mma "mfma.f32.32x32x8f16" (%a2) by (%b) plus (%s1) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %a3 = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %s3 = simt.mma "mfma.f32.32x32x8f16" (%a3) by (%b) plus (%s2) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    simt.barrier shared
    scf.yield %s3 : vector<16xf32>
  }
  llvm.return %r : vector<16xf32>
}

// One wave of a SIMD, as LDS has room for one workgroup: there are no others.
// CHECK-LABEL: llvm.func @alone(
// CHECK-NOT: setprio
llvm.func @alone(%b: vector<4xf16>, %begin: i32, %end: i32, %zero: vector<16xf32>) -> vector<16xf32>
    attributes {simt.block = #simt.thread_block<threads = 256, shared_bytes = 40000>} {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (vector<16xf32>) : i32 {
    %s0 = simt.mma "mfma.f32.32x32x8f16" (%b) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %s1 = simt.mma "mfma.f32.32x32x8f16" (%b) by (%b) plus (%s0) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %s2 = simt.mma "mfma.f32.32x32x8f16" (%b) by (%b) plus (%s1) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %s3 = simt.mma "mfma.f32.32x32x8f16" (%b) by (%b) plus (%s2) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    scf.yield %s3 : vector<16xf32>
  }
  llvm.return %r : vector<16xf32>
}

// Too short to be worth two instructions, and parted by a barrier.
// CHECK-LABEL: llvm.func @short(
// CHECK-NOT: setprio
llvm.func @short(%b: vector<4xf16>, %begin: i32, %end: i32, %zero: vector<16xf32>) -> vector<16xf32>
    attributes {simt.block = #simt.thread_block<threads = 512, shared_bytes = 0>} {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (vector<16xf32>) : i32 {
    %s0 = simt.mma "mfma.f32.32x32x8f16" (%b) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %s1 = simt.mma "mfma.f32.32x32x8f16" (%b) by (%b) plus (%s0) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    simt.barrier shared
    %s2 = simt.mma "mfma.f32.32x32x8f16" (%b) by (%b) plus (%s1) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %s3 = simt.mma "mfma.f32.32x32x8f16" (%b) by (%b) plus (%s2) : vector<4xf16>, vector<4xf16>, vector<16xf32>
    scf.yield %s3 : vector<16xf32>
  }
  llvm.return %r : vector<16xf32>
}
}
