// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of a loop that two users take is copied ahead once, and each reads it in its own layout. A product that reads memory
// by itself decides how rows lie there; the other user follows. Each barrier is needed.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_80},tile.kernel(simt-assign-layouts,simt-stage-operands))' | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm -o - | FileCheck %s --check-prefix=PTX
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_80},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' -o %t.kernels
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=7 < %t.kernels
// RUN: kiln-run %s --entry=both --target=reference,seed=3,threads=nvidia:sm_90a --grid=1 --inputs=random --check
// RUN: kiln-run %s --entry=both --target=reference,seed=3,threads=nvidia:sm_80 --grid=1 --inputs=random --check

// CHECK-LABEL: tile.kernel @both
// CHECK: %[[TILE:.*]] = stage.alloc
// CHECK: stage.copy %arg1{{.*}} to %[[TILE]]
// CHECK-NOT: tile.load
// CHECK: stage.read %[[TILE]]
// CHECK: tile.dot
// CHECK: stage.read %[[TILE]]
// CHECK: arith.extf
// PTX: cp.async
// PTX: wgmma.mma_async
tile.kernel @both(%x: !tile.view<64x64xbf16> {tile.align = 16 : i64, tile.readonly}, %w: !tile.view<512x128xbf16> {tile.align = 16 : i64, tile.readonly},
    %out: !tile.view<64x128xf32> {tile.align = 16 : i64, tile.noalias}, %sums: !tile.view<64x128xf32> {tile.align = 16 : i64, tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x64xbf16> -> tensor<64x64xbf16>
  %r:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero, %t = %zero) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
    %b = tile.load %w[%k, %c0] : !tile.view<512x128xbf16> -> tensor<64x128xbf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    %e = arith.extf %b : tensor<64x128xbf16> to tensor<64x128xf32>
    %u = arith.addf %t, %e : tensor<64x128xf32>
    scf.yield %d, %u : tensor<64x128xf32>, tensor<64x128xf32>
  }
  tile.store %r#0, %out[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
  tile.store %r#1, %sums[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}
