// Micro-kernels: they print what they parse, are verified, and become a function for each shape and instruction.
// REQUIRES: x86_64
// RUN: kiln-opt %s --kiln-set-target=spec=cpu:sapphirerapids -split-input-file -verify-diagnostics | FileCheck %s
// RUN: kiln-opt %S/Inputs/micro-kernels.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:sapphirerapids},cpu-lower-micro-kernels)' | FileCheck %s --check-prefix=LOWER

// CHECK: cpu.micro_kernel %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] depth %{{.*}} block[6, 64] groups[2, 2] by @vdpbf16ps : bf16, bf16, f32
// CHECK: cpu.micro_kernel %{{.*}} minus %{{.*}} block[6, 64] groups[4, 4] by @vpdpbusd : ui8, si8, i32
// CHECK: cpu.acquire @tdpbssd
// CHECK: cpu.release @tdpbssd
func.func @valid(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %n: i64) {
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n block [6, 64] groups [2, 2] by @vdpbf16ps : bf16, bf16, f32
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n minus %c block [6, 64] groups [4, 4] by @vpdpbusd : ui8, si8, i32
  cpu.acquire @tdpbssd
  cpu.release @tdpbssd
  return
}

// LOWER-LABEL: func.func @products
// LOWER: call @kiln_micro_kernel_vdpbf16ps_2x16_bf16_bf16
// LOWER-NEXT: call @kiln_micro_kernel_vdpbf16ps_2x16_bf16_bf16
// LOWER: call @kiln_micro_kernel_f32_2x16
// LOWER: call_intrinsic "llvm.x86.ldtilecfg"
// LOWER: call @kiln_micro_kernel_tdpbssd_16x16_si8_si8
// LOWER: call_intrinsic "llvm.x86.tilerelease"
// LOWER: func.func private @kiln_micro_kernel_vdpbf16ps_2x16_bf16_bf16
// LOWER: scf.for
// LOWER-COUNT-8: call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// LOWER: scf.for
// LOWER-COUNT-2: call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// LOWER: func.func private @kiln_micro_kernel_f32_2x16
// LOWER: math.fma {{.*}}vector<16xf32>
// LOWER: func.func private @kiln_micro_kernel_tdpbssd_16x16_si8_si8
// LOWER: "llvm.x86.tileloadd64"
// LOWER: scf.for
// LOWER-COUNT-2: "llvm.x86.tileloadd64"
// LOWER: "llvm.x86.tdpbssd"
// LOWER: "llvm.x86.tilestored64"

// -----
func.func @size(%a: !llvm.ptr, %n: i64) {
  // expected-error @+1 {{expected 'rows' to be between 1 and 256, found 0}}
  cpu.micro_kernel %a, %a[%n], %a[%n] depth %n block [0, 16] groups [1, 1] : f32, f32, f32
  return
}

// -----
func.func @types(%a: !llvm.ptr, %n: i64) {
  // expected-error @+1 {{expected types of integers, or of floats, found 'si8', 'f32' and 'i32'}}
  cpu.micro_kernel %a, %a[%n], %a[%n] depth %n block [1, 16] groups [4, 4] by @vpdpbusd : si8, f32, i32
  return
}

// -----
func.func @plain(%a: !llvm.ptr, %n: i64) {
  // expected-error @+1 {{expected a row for factors of types 'bf16' and 'bf16' in groups of 2 and 2}}
  cpu.micro_kernel %a, %a[%n], %a[%n] depth %n block [1, 16] groups [2, 2] : bf16, bf16, f32
  return
}
