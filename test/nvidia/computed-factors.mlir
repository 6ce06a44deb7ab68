// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors that threads compute go to shared memory, where asynchronous instructions read them: behind a proxy fence and a barrier. Each
// barrier, wait and fence is removed in turn, and the verifier has to object. All threads are executed, with asynchronous effects at random times.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands))' | FileCheck %s --check-prefix=STORED
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' -o %t.kernels
// RUN: FileCheck %s < %t.kernels
// RUN: kiln-opt %t.kernels --pass-pipeline='builtin.module(convert-tile-to-simt,llvm.func(simt-verify-barriers))' -o /dev/null
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=18 < %t.kernels
// RUN: for seed in 0 3; do kiln-run %s --entry=halves --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1 --arg=random:1:f16:256x64 --arg=random:2:f16:256x64 \
// RUN:   --arg=random:3:f16:64x64 --arg=zeros:f32:64x64 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RUN: for seed in 0 3; do kiln-run %s --entry=words --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1 --arg=random:1:f32:256x64 --arg=random:2:f32:64x64 \
// RUN:   --arg=zeros:f32:64x64 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT-WORDS
// RIGHT-COUNT-2: argument 3 (o): ok: 64x64xf32
// RIGHT-WORDS-COUNT-2: argument 2 (o): ok: 64x64xf32

// The loaded factor is stored once, before the loop, and the computed one in each iteration.
// STORED-LABEL: tile.kernel @halves
// STORED: %[[Z:.*]] = tile.load %{{.*}}[%c0, %c0] : !tile.view<64x64xf16>
// STORED: %[[KEPT:.*]] = stage.alloc {align = 1024 : i64}
// STORED-NEXT: %[[SAME:.*]] = simt.convert_layout %[[Z]]
// STORED-NEXT: stage.write %[[SAME]], %[[KEPT]]
// STORED-NEXT: scf.for
// STORED: tile.dot {{.*}} {simt.decided = {row = "wgmma.m64k16.f32.f16"}}
// STORED: %[[P:.*]] = arith.truncf
// STORED: %[[OWN:.*]] = stage.alloc {align = 1024 : i64}
// STORED-NEXT: stage.write %[[P]], %[[OWN]]
// STORED: %[[READ:.*]] = stage.read %[[OWN]]
// STORED-NEXT: tile.dot %{{[^ ,]*}}, %[[READ]], %{{.*}} {simt.decided = {row = "wgmma.m64k16.f32.f16"}}

// The fence and barrier of the copies serve the tile that is stored before the loop.
// CHECK-LABEL: tile.kernel @halves
// CHECK: stage.write
// CHECK-NOT: simt.publish
// CHECK: scf.for
// CHECK: simt.wait_copies but 1
// CHECK-NEXT: simt.publish
// CHECK-NEXT: gpu.barrier
// CHECK: stage.wait but 0
// CHECK: stage.write
// CHECK: simt.publish
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: stage.product
tile.kernel @halves(%a: !tile.view<256x64xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<256x64xf16> {tile.readonly, tile.align = 16 : i64},
                    %z: !tile.view<64x64xf16> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<64x64xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %scale = arith.constant dense<0.125> : tensor<64x64xf32>
  %kept = tile.load %z[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %n = tile.num_blocks %a[0] by 64 : !tile.view<256x64xf16>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%j, %c0] : !tile.view<256x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %x, %kept, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %d = arith.mulf %s, %scale : tensor<64x64xf32>
    %p = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %y = tile.load %b[%j, %c0] : !tile.view<256x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %y, %p, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %r, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// Words are read along the sum alone: the right factor is stored transposed. One tile is a factor of two products.
// STORED-LABEL: tile.kernel @words
// STORED: scf.for
// STORED: stage.write %[[T:[^ ]*]], %{{.*}}
// STORED: tile.dot {{.*}} precision tf32 {simt.decided = {row = "wgmma.m64k8.f32.tf32"}}
// CHECK-LABEL: tile.kernel @words
tile.kernel @words(%a: !tile.view<256x64xf32> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<64x64xf32> {tile.readonly, tile.align = 16 : i64},
                   %o: !tile.view<64x64xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %scale = arith.constant dense<0.125> : tensor<64x64xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %n = tile.num_blocks %a[0] by 64 : !tile.view<256x64xf32>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%j, %c0] : !tile.view<256x64xf32> -> tensor<64x64xf32>
    %t = arith.mulf %x, %scale : tensor<64x64xf32>
    %s = tile.dot %t, %y, %zero precision tf32 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %next = tile.dot %t, %s, %acc precision tf32 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %r, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
