// The first barrier of a loop waits for what the iteration before left in flight in LDS: LLVM drops the wait that it makes of the
// barrier's fence there. Later barriers of the loop, and those outside of loops, leave waits to LLVM.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},amd-lower-simt)' | FileCheck %s --check-prefixes=ALL,CDNA
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx1100},amd-lower-simt)' | FileCheck %s --check-prefixes=ALL,RDNA3
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx1201},amd-lower-simt)' | FileCheck %s --check-prefixes=ALL,RDNA4

// ALL-LABEL: llvm.func @k
// ALL-NOT: wait
// ALL: s.barrier
// ALL: scf.for
// ALL-NOT: llvm.fence
// CDNA: rocdl.s.waitcnt 49279
// RDNA3: rocdl.s.waitcnt 64519
// RDNA4: s.wait.dscnt
// ALL: llvm.fence syncscope("workgroup") release
// ALL: s.barrier
// ALL-NOT: wait
// ALL: s.barrier
llvm.func @k(%from: i32, %to: i32, %step: i32) {
  simt.barrier shared
  scf.for %i = %from to %to step %step : i32 {
    simt.barrier shared
    simt.barrier shared
  }
  llvm.return
}
