// The passes of the target, one after the other: matrix instructions and launch attributes, functions of scalars, then LLVM's dialect.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},gpu-pipeline,simt-expand-accesses,amd-lower-simt)' | FileCheck %s --check-prefix=SIMT
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},gpu-pipeline,simt-expand-accesses,amd-lower-simt,convert-scf-to-cf,amd-lower-math)' | FileCheck %s --check-prefix=MATH
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},gpu-pipeline,simt-expand-accesses,amd-lower-simt,convert-scf-to-cf,amd-lower-math,arith-expand,amd-lower-gpu)' \
// RUN:   | FileCheck %s --check-prefix=GPU --implicit-check-not=' arith.' --implicit-check-not=' gpu.' --implicit-check-not=' math.'

// SIMT: llvm.func @tanh({{.*}}rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
// SIMT: math.tanh
// MATH: llvm.func @tanh
// MATH-NOT: math.tanh
// MATH: math.fma
// GPU: llvm.func @tanh
// GPU: llvm.amdgcn.workitem.id.x
// GPU: llvm.intr.fma
tile.kernel @tanh(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32>
  %e = math.tanh %a : tensor<128xf32>
  tile.store %e, %y[%i] : tensor<128xf32>, !tile.view<?xf32>
}
