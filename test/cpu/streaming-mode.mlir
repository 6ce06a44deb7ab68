// Matrix instructions that exist in a mode of the processor only: all that a thread does from the first to the last
// micro-kernel becomes a function, which another one enters the mode for.
// REQUIRES: lld
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:armv9.2-a,streaming_bits=512},cpu-lower-micro-kernels)' | FileCheck %s
// RUN: not kiln-opt %S/Inputs/streaming-mode-invalid.mlir -split-input-file --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:apple-m4},cpu-lower-micro-kernels)' 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: kiln-compile %S/Inputs/streaming-product.mlir --target=cpu:armv9.2-a,streaming_bits=512,vector_bits=256 --emit=llvm -o - | FileCheck %s --check-prefix=LENGTHS
// RUN: kiln-compile %S/Inputs/streaming-product.mlir --target=cpu:armv9.2-a,streaming_bits=256 --emit=asm -o - | grep -E 'smst|bl|mopa|mul vl|^kiln[a-z0-9_]*:|^product:|\[sp' | FileCheck %s --check-prefix=ASM
// RUN: kiln-compile %S/Inputs/streaming-product.mlir --target=cpu:armv9.2-a,streaming_bits=256 -o %t.kiln
// RUN: kiln-run %t.kiln --inspect | FileCheck %s --check-prefix=NEEDS

// What is defined before becomes arguments, but for constants; what is used behind, results.
// CHECK-LABEL: func.func @two
// CHECK: %[[SUM:.*]] = call @kiln_product_0_entry(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i64
// CHECK-NEXT: return %[[SUM]] : i64
// CHECK: func.func private @kiln_product_0_entry
// CHECK-SAME: passthrough = ["noinline", "aarch64_pstate_sm_body", "aarch64_new_za"]
// CHECK-NEXT: %[[RESULT:.*]] = call @kiln_product_0(
// CHECK-NEXT: return %[[RESULT]]
// CHECK: func.func private @kiln_product_0(
// CHECK-SAME: passthrough = ["noinline", "aarch64_pstate_sm_enabled", "aarch64_inout_za"]
// CHECK-DAG: arith.constant 16 : i64
// CHECK: scf.for
// CHECK: call @kiln_micro_kernel_fmopa_f32_16x32_f32_f32
// CHECK: arith.addi
// CHECK: call @kiln_micro_kernel_fmopa_f32_16x32_f32_f32
// CHECK: return
// CHECK: func.func private @kiln_micro_kernel_fmopa_f32_16x32_f32_f32
// CHECK-SAME: passthrough = ["noinline", "aarch64_pstate_sm_enabled", "aarch64_inout_za"]
// CHECK-COUNT-2: call_intrinsic "llvm.aarch64.sme.ld1w.horiz"
// CHECK: scf.for
// CHECK-COUNT-2: call_intrinsic "llvm.aarch64.sme.mopa.nxv4f32"
// CHECK: scf.for
// CHECK-COUNT-2: call_intrinsic "llvm.aarch64.sme.st1w.horiz"
func.func @two(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  cpu.acquire @fmopa.f32
  scf.for %i = %c0 to %n step %c1 : i64 {
    cpu.micro_kernel %a, %b[%n], %c[%c16] depth %n block [16, 32] groups [1, 1] by @fmopa.f32 : f32, f32, f32
  }
  %sum = arith.addi %n, %c16 : i64
  cpu.micro_kernel %a, %b[%n], %c[%sum] depth %n block [16, 32] groups [1, 1] by @fmopa.f32 : f32, f32, f32
  cpu.release @fmopa.f32
  return %sum : i64
}

// INVALID: error: 'cpu.acquire' op expected a 'cpu.release' behind it in its block
// INVALID: error: 'cpu.micro_kernel' op unsupported: matrix instruction 'smopa' with a block of 16 x 24 and groups of 4 and 4

// Vectors have one length outside of the mode, and another one inside.
// LENGTHS-DAG: define {{.*}}@product({{.*}} #[[OUTSIDE:[0-9]+]]
// LENGTHS-DAG: define {{.*}}@kiln_product_0({{.*}} #[[INSIDE:[0-9]+]]
// LENGTHS-DAG: attributes #[[OUTSIDE]] = {{.*}} vscale_range(2,2)
// LENGTHS-DAG: attributes #[[INSIDE]] = {{.*}} vscale_range(4,4)

// The mode is entered once for a product, packing included, and by a function that keeps no scalable register.
// ASM: product:
// ASM: bl kiln_product_0_entry
// ASM: kiln_product_0_entry:
// ASM-NOT: mul vl
// ASM: smstart za
// ASM: smstart sm
// ASM: bl kiln_product_0
// ASM: smstop sm
// ASM: smstop za
// ASM: {{^}}kiln_product_0:
// ASM-NOT: smst
// ASM: kiln_micro_kernel_smopa_16x16_si8_si8_fresh:
// ASM-NOT: [sp
// ASM-COUNT-4: smopa
// ASM-NOT: smst

// NEEDS: streaming_bits.256
