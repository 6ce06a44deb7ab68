// kiln-extension-point runs the passes that plug-ins add, here none, and refuses a point that no pipeline declares; program-claim
// leaves a program alone whose target rewrites none.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},kiln-extension-point{name=core.tile},program-claim)' | FileCheck %s
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},kiln-extension-point{name=core.absent})' 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: extension point 'core.absent' is not declared

// CHECK: tile.kernel @copy(
// CHECK: tile.load
// CHECK: tile.store
tile.kernel @copy(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32>
  tile.store %a, %y[%i] : tensor<128xf32>, !tile.view<?xf32>
}
