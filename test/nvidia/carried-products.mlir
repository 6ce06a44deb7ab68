// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wait for a carried matmul covers the one whose sum its left factor is computed from: that sum comes out of the wait.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands{stages=4},stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' -o %t.kernels
// RUN: FileCheck %s < %t.kernels
// RUN: kiln-opt %t.kernels --pass-pipeline='builtin.module(convert-tile-to-simt,llvm.func(simt-verify-barriers))' -o /dev/null
// RUN: for seed in 0 3; do kiln-run %s --target=reference,threads=nvidia:sm_90a,thread_options=stages=4,seed=$seed --grid=1,1 \
// RUN:   --arg=random:1:f16:64x64 --arg=random:2:f16:256x64 --arg=random:3:f16:256x64 --arg=zeros:f32:64x64 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: argument 3 (o): ok: 64x64xf32

// CHECK-LABEL: tile.kernel @scaled
// CHECK: scf.for
// CHECK: %[[SCORES:.*]] = stage.product async
// CHECK: stage.wait {{.*}}%[[SCORES]]
// CHECK-NOT: stage.wait {{.*}}%[[SCORES]]
// CHECK: scf.yield
tile.kernel @scaled(%q: !tile.view<64x64xf16> {tile.readonly, tile.align = 16 : i64}, %keys: !tile.view<256x64xf16> {tile.readonly, tile.align = 16 : i64},
                    %values: !tile.view<256x64xf16> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<64x64xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %x = tile.load %q[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %n = tile.num_blocks %keys[0] by 64 : !tile.view<256x64xf16>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %k = tile.load %keys[%j, %c0] : !tile.view<256x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %x, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %scaled = arith.mulf %acc, %half : tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %v = tile.load %values[%j, %c0] : !tile.view<256x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %p, %v, %scaled : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %r, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
