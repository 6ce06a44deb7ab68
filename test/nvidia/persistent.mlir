// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent products with rings: each block goes through the points of the grid that are its own, and the copies of the next
// point take the place of slots that slow warps may still read. All threads of one of two blocks are executed; then each barrier,
// wait and guard is removed in turn, and the verifier has to object.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(tile-raster{group=2},tile-make-persistent{all},simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,llvm.func(simt-verify-barriers),canonicalize,cse)' -o %t.simt
// RUN: FileCheck %s < %t.simt
// RUN: kiln-opt %t.simt --mlir-print-op-generic | %python %S/../gpu/execute.py %s
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=10 < %t.simt
// The launch lets the driver start fewer blocks than the grid has points.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,persistent=on --no-fallback -o %t.kiln
// RUN: kiln-run %t.kiln --inspect | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: persistent 1

// CHECK: llvm.func @product({{.*}}persistent = true

// A grid of 2 x 3 points in bands of two rows, of which block 1 of 2 takes the second, the fourth and the sixth: (1, 0), (1, 1) and
// (1, 2).
// product: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(32 * 48)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(48 * 96)], c: f32 = [0.0] * (32 * 96)
// product: scalars = [32, 48, 48, 1, 48, 96, 96, 1, 32, 96, 96, 1, 3, 2, 1]
// product: block = 1
// product: width = 2
// product: expect all(abs(c[96 * m + n] - (m >= 16) * sum((1 + (48 * m + k) % 7 / 16) * (1 + (96 * k + n) % 5 / 16) for k in range(48))) < 1e-2 for m in range(32) for n in range(96))
// product: expect count("simt.copy_async") > 2
tile.kernel @product(%a: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                     %b: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                     %c: !tile.view<?x?xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf16>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<16x32xf32> {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf16> -> tensor<16x16xf16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<16x32xf32>, !tile.view<?x?xf32>
}
