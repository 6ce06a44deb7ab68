// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two loops, in each of which one product goes into another one. A left factor that is copied ahead stays in memory, also where the sums
// become another left factor. Slots for both loops do not fit side by side, so the second loop has its ring where the first one's was. Each
// barrier, wait and fence is removed in turn, and the verifier has to object. All threads are executed, with asynchronous effects at random times.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands))' | FileCheck %s --check-prefix=STAGED
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' > %t.kernels
// RUN: FileCheck %s < %t.kernels
// RUN: kiln-opt %t.kernels --pass-pipeline='builtin.module(convert-tile-to-simt,llvm.func(simt-verify-barriers))' -o /dev/null
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=18 --covered=two:gpu.barrier#4 < %t.kernels
// RUN: for seed in 0 3; do kiln-run %s --entry=two --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1 --arg=random:1:f16:256x128 --arg=random:2:f16:256x128 \
// RUN:   --arg=random:3:f16:256x64 --arg=zeros:f32:64x64 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// Rings that lie in the same bytes are not kept from one point of the grid to the next.
// RUN: kiln-compile %s --target=nvidia:sm_90a,persistent=on --no-fallback -o %t.kiln
// RIGHT-COUNT-2: argument 3 (o): ok: 64x64xf32

// STAGED-LABEL: tile.kernel @two
// STAGED: scf.for
// STAGED: tile.dot {{.*}} {simt.decided = {row = "wgmma.m64k16.f32.f16"}}
// STAGED: tile.dot {{.*}} {simt.decided = {row = "wgmma.m64k16.f32.f16.registers"}}
// STAGED: #stage.slots<3>
// STAGED: scf.for
// STAGED: tile.dot {{.*}} {simt.decided = {row = "wgmma.m64k16.f32.f16"}}
// STAGED: tile.dot {{.*}} {simt.decided = {row = "wgmma.m64k16.f32.f16.registers"}}
// STAGED: #stage.slots<3>

// CHECK-LABEL: tile.kernel @two
// CHECK: stage.ring {{.*}}offset = 0 : i64
// CHECK: stage.ring {{.*}}offset = 0 : i64
tile.kernel @two(%a: !tile.view<256x128xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<256x128xf16> {tile.readonly, tile.align = 16 : i64},
                 %c: !tile.view<256x64xf16> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<64x64xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %scale = arith.constant dense<0.125> : tensor<64x128xf32>
  %n = tile.num_blocks %c[0] by 128 : !tile.view<256x64xf16>
  %first = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %none) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%j, %c0] : !tile.view<256x128xf16> -> tensor<64x128xf16>
    %y = tile.load %b[%j, %c0] : !tile.view<256x128xf16> -> tensor<128x128xf16>
    %s = tile.dot %x, %y, %zero : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
    %t = arith.mulf %s, %scale : tensor<64x128xf32>
    %p = arith.truncf %t : tensor<64x128xf32> to tensor<64x128xf16>
    %z = tile.load %c[%j, %c0] : !tile.view<256x64xf16> -> tensor<128x64xf16>
    %next = tile.dot %p, %z, %acc : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %second = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<64x64xf32>) {
    %x = tile.load %b[%j, %c0] : !tile.view<256x128xf16> -> tensor<64x128xf16>
    %y = tile.load %a[%j, %c0] : !tile.view<256x128xf16> -> tensor<128x128xf16>
    %s = tile.dot %x, %y, %zero : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
    %t = arith.mulf %s, %scale : tensor<64x128xf32>
    %p = arith.truncf %t : tensor<64x128xf32> to tensor<64x128xf16>
    %z = tile.load %c[%j, %c0] : !tile.view<256x64xf16> -> tensor<128x64xf16>
    %next = tile.dot %p, %z, %acc : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %second, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
