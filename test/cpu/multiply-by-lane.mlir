// Where instructions multiply by one lane of a register, left factors are loaded by whole registers. What does not fill a register is
// loaded by itself.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:neoverse-n1},cpu-lower-micro-kernels)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v2},cpu-lower-micro-kernels)' | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func private @kiln_micro_kernel_f32_2x4
// Two rows and four steps:
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT: vector.shuffle {{.*}} [0, 0, 0, 0]
// CHECK: vector.shuffle {{.*}} [1, 1, 1, 1]
// CHECK: vector.shuffle {{.*}} [2, 2, 2, 2]
// CHECK: vector.shuffle {{.*}} [3, 3, 3, 3]
// One step at a time:
// CHECK: scf.for
// CHECK-COUNT-2: vector.broadcast {{.*}} : f32 to vector<4xf32>
// OTHER-NOT: vector.shuffle
func.func @products(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %n: i64) {
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n block [2, 4] groups [1, 1] : f32, f32, f32
  return
}
