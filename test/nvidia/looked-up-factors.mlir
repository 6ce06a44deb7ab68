// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both factors of a convolution by looked-up places: pixels lie side by side, channels far apart, and no piece is known to be as long as
// copies want it. Threads load element by element, and write both factors to where the instruction reads them. Each barrier, wait and fence is removed in turn, and the verifier has to object. All threads are executed.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands))' | FileCheck %s --check-prefix=STORED
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,simt-request-loads,stage-allocate,simt-stage-products,simt-insert-barriers))' > %t.kernels
// RUN: kiln-opt %t.kernels --pass-pipeline='builtin.module(convert-tile-to-simt,llvm.func(simt-verify-barriers))' -o /dev/null
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=5 < %t.kernels
// RUN: for seed in 0 3; do kiln-run %s --entry=pixels --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1 --arg=random:1:f16:128x100 --arg=random:2:f16:64x129 \
// RUN:   --arg=random:3:i32:64 --arg=zeros:f32:64x64 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: argument 3 (o): ok: 64x64xf32

// STORED-LABEL: tile.kernel @pixels
// STORED: scf.for
// STORED: tile.load_gather {{.*}} -> tensor<64x64xf16, #simt.layout<rank = 2, register = {{.*}}, lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]],
// STORED: stage.write
// STORED: stage.write
// STORED: tile.dot {{.*}} {simt.decided = {row = "wgmma.m64k16.f32.f16"}}
tile.kernel @pixels(%x: !tile.view<128x100xf16> {tile.readonly}, %w: !tile.view<64x129xf16> {tile.readonly},
                    %places: !tile.view<64xi32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<64x64xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %list = tile.load %places[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load_gather %x[%k] dim 1 by %list pad %pad : f16 : !tile.view<128x100xf16>, tensor<64xi32> -> tensor<64x64xf16>
    %b = tile.load %w[%c0, %k] : !tile.view<64x129xf16> -> tensor<64x64xf16>
    %at = tile.transpose %a [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %at, %bt, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %r, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
