// The arena of a call, in each memory of a device, prints and parses again.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: program.func @arenas
program.func @arenas() {
  %bytes = arith.constant 4096 : index
  // CHECK: program.arena %{{[a-z0-9_]+$}}
  program.arena %bytes
  // CHECK: program.arena %{{.*}} on "npu" ordinal 1 in "pad"
  program.arena %bytes on "npu" ordinal 1 in "pad"
  program.return
}
