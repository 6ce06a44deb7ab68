// Which target compiles a kernel, and the transfers that follow from it, are passes.
// RUN: unset KILN_NO_FALLBACK
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_90a --kiln-place-kernels 2> %t.err | FileCheck %s --check-prefix=PLACED
// RUN: FileCheck %s --check-prefix=LINE < %t.err
// PLACED: tile.kernel @small(
// PLACED-NOT: device = "cpu"
// PLACED: tile.kernel @large({{.*}}device = "cpu"
// PLACED: program.launch [@large]
// PLACED-NOT: device = "cpu"
// LINE: note: 1 of 2 kernels fell back from target 'nvidia' to 'cpu': nvidia: the sums of an instance
//
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-place-kernels{targets=nvidia:sm_90a+cpu},program-place-launches)' \
// RUN:   | FileCheck %s --check-prefix=MOVED
// MOVED: program.launch [@small] {{.*}} args(%arg0)
// MOVED-NOT: device
// MOVED: %[[X:.*]] = program.transfer %arg0 to "cpu"
// MOVED: %[[Y:.*]] = program.transfer %arg1 to "cpu"
// MOVED: program.launch [@large] {{.*}} args(%[[X]], %[[Y]]) writes [1] {device = "cpu"}
// MOVED: program.copy %[[Y]] to %arg1
//
// RUN: not kiln-opt %s '--kiln-place-kernels=targets=nvidia:sm_90a no-fallback' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: kernel 'large' is not placed on target 'nvidia', and --no-fallback leaves it no other
// RUN: not kiln-opt %s --kiln-place-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNBOUND
// UNBOUND: error: expected the option targets=SPEC of kiln-place-kernels, or a module that kiln-set-target has bound

tile.kernel @small(%x: !tile.view<?x?xf64>) {
  %i = tile.program_id : index
  %z = arith.constant 0 : index
  %a = tile.load %x[%i, %z] : !tile.view<?x?xf64> -> tensor<1x128xf64>
  %b = arith.addf %a, %a : tensor<1x128xf64>
  tile.store %b, %x[%i, %z] : tensor<1x128xf64>, !tile.view<?x?xf64>
}
// No block of threads has registers for these sums.
tile.kernel @large(%x: !tile.view<?x?xf64>, %y: !tile.view<?x?xf64>) {
  %z = arith.constant 0 : index
  %a = tile.load %x[%z, %z] : !tile.view<?x?xf64> -> tensor<512x512xf64>
  %c = arith.constant dense<0.0> : tensor<512x512xf64>
  %d = tile.dot %a, %a, %c : tensor<512x512xf64>, tensor<512x512xf64>, tensor<512x512xf64>
  tile.store %d, %y[%z, %z] : tensor<512x512xf64>, !tile.view<?x?xf64>
}
program.func @main(%x: memref<512x512xf64>, %y: memref<512x512xf64>) -> memref<512x512xf64> {
  %c1 = arith.constant 1 : index
  %rows = arith.constant 512 : index
  program.launch [@small] grid (%rows, %c1, %c1) args (%x) writes [0] : memref<512x512xf64>
  program.launch [@large] grid (%c1, %c1, %c1) args (%x, %y) writes [1] : memref<512x512xf64>, memref<512x512xf64>
  program.return %y : memref<512x512xf64>
}
