// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention whose products have the left factor in registers and the right one in shared memory: the weights of one product go
// straight into the next. Each barrier, wait and fence is removed in turn, and the verifier has to object. All threads are
// executed, with asynchronous effects at random times.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' -o %t.kernels
// RUN: FileCheck %s < %t.kernels
// RUN: kiln-opt %t.kernels --pass-pipeline='builtin.module(convert-tile-to-simt,llvm.func(simt-verify-barriers))' | FileCheck %s --check-prefix=THREAD
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=10 < %t.kernels
// RUN: for seed in 0 3; do kiln-run %s --entry=attention --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1,1 \
// RUN:   --arg=random:1:f16:64x64 --arg=random:2:f16:256x64 --arg=random:3:f16:256x64 --arg=zeros:f32:64x64 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: argument 3 (o): ok: 64x64xf32
//
// All but the second product runs an iteration early, so that warps compute while others multiply; threads arrive an iteration before
// they wait, and the sum is rescaled where an iteration ends.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands{stages=4},simt-overlap-products,stage-make-rings,stage-schedule,stage-pipeline,simt-rotate-sums,stage-allocate,simt-stage-products,simt-insert-barriers,simt-split-barriers))' -o %t.early
// RUN: FileCheck %s --check-prefix=EARLY < %t.early
// RUN: kiln-opt %t.early --pass-pipeline='builtin.module(convert-tile-to-simt,llvm.func(simt-verify-barriers))' -o /dev/null
// The wait behind the loop is for a loop with one block of keys. With four, the wait of the loop's last iteration covers that copy, too.
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=15 --covered=attention:simt.commit_copies#6,attention:simt.wait_copies#4,attention:simt.publish#4,attention:gpu.barrier#3 < %t.early
// RUN: for seed in 0 5; do for stages in 3 4; do kiln-run %s --entry=attention --target=reference,threads=nvidia:sm_90a,thread_options=stages=$stages,seed=$seed \
// RUN:   --grid=1,1 --arg=random:1:f16:64x64 --arg=random:2:f16:256x64 --arg=random:3:f16:256x64 --arg=zeros:f32:64x64 --check || exit 1; done; done | FileCheck %s --check-prefix=RIGHT-EARLY
// RIGHT-EARLY-COUNT-4: argument 3 (o): ok: 64x64xf32
//
// No iteration: the sum is what it was.
// RUN: sed 's/<256x64xf16>/<?x64xf16>/g' %s > %t.open
// RUN: kiln-run %t.open --entry=attention --target=reference,threads=nvidia:sm_90a,thread_options=stages=4 --grid=1,1 --arg=random:1:f16:64x64 --arg=zeros:f16:0x64 \
// RUN:   --arg=zeros:f16:0x64 --arg=zeros:f32:64x64 --check | FileCheck %s --check-prefix=NONE
// NONE: argument 3 (o): ok: 64x64xf32
//
// Three slots are too few for warps that are an iteration apart.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands{stages=3},simt-overlap-products,stage-make-rings,stage-schedule,stage-pipeline,simt-rotate-sums,stage-allocate,simt-stage-products,simt-insert-barriers,simt-split-barriers))' \
// RUN:   | FileCheck %s --check-prefix=FEW
// FEW-NOT: simt.arrive
// FEW: gpu.barrier
// FEW-NOT: simt.arrive

// CHECK-LABEL: tile.kernel @attention
// CHECK: scf.for
// CHECK: simt.wait_copies but 1
// CHECK-NEXT: simt.publish
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: simt.convert_layout
// CHECK: %[[SCORES:.*]] = stage.product async {{.*}} by @wgmma.m64k16.f32.f16.registers
// CHECK-NEXT: stage.wait but 0 %[[SCORES]] : !stage.future<
// CHECK-NOT: simt.convert_layout
// CHECK: %[[SUMS:.*]] = stage.product async {{.*}} by @wgmma.m64k16.f32.f16.registers
// CHECK-NEXT: stage.wait but 0 %[[SUMS]] : !stage.future<
// CHECK-NEXT: stage.release
// CHECK-NEXT: scf.yield

// EARLY-LABEL: tile.kernel @attention
// EARLY: simt.create_split_barrier {place = 65536 : i64}
// EARLY: %[[KEYS:.*]] = stage.ring
// EARLY: %[[LAST:.*]] = arith.maxsi
// EARLY: %[[VALUES:.*]] = stage.ring
// Before the loop: the first product, and what threads compute from it.
// EARLY: simt.wait_copies but 4
// EARLY-NEXT: simt.publish
// EARLY-NEXT: gpu.barrier
// EARLY: %[[FIRST:.*]] = stage.product
// EARLY: stage.wait but 0 %[[FIRST]] :
// EARLY: %[[FACTOR:.*]] = arith.truncf
// EARLY: simt.wait_copies but 2
// EARLY-NEXT: simt.publish
// EARLY-NEXT: %[[PHASE:.*]] = simt.arrive {place = 65536 : i64}
// EARLY-NEXT: %[[R:.*]]:6 = scf.for {{.*}} iter_args(%[[ACC:[^ ]*]] = {{.*}} = %[[FACTOR]], %[[CAME:[^ ]*]] = %[[PHASE]])
// EARLY: simt.await %[[CAME]] {place = 65536 : i64}
// EARLY-NEXT: stage.consume %[[KEYS]]
// EARLY: %[[NEXT:.*]] = stage.product
// EARLY-NEXT: stage.consume %[[VALUES]]
// EARLY: %[[SUM:.*]] = stage.product async %{{[^ ]*}}, %{{.*}}, %[[ACC]] by @
// EARLY-NEXT: simt.wait_copies but 0
// EARLY-NEXT: simt.publish
// EARLY-NEXT: %[[GOES:.*]] = simt.arrive
// EARLY-NEXT: scf.if
// EARLY-NEXT: stage.produce %[[KEYS]]
// EARLY: scf.if
// EARLY-NEXT: stage.produce %[[VALUES]]
// EARLY: %[[SCORES:.*]] = stage.wait but 1 %[[NEXT]] :
// EARLY-NEXT: %[[DONE:.*]] = stage.wait but 0 %[[SUM]] :
// EARLY-NEXT: stage.release %[[VALUES]]
// EARLY-NEXT: stage.release %[[KEYS]]
// EARLY-NEXT: tile.reduce %[[SCORES]]
// The last iteration multiplies by one.
// EARLY: arith.constant dense<1.000000e+00>
// EARLY-NEXT: %[[ONE:.*]] = arith.select
// EARLY-NEXT: %[[SCALE:.*]] = tile.broadcast %[[ONE]]
// EARLY-NEXT: %[[SCALED:.*]] = arith.mulf %[[DONE]], %[[SCALE]]
// EARLY-NEXT: scf.yield %[[SCALED]], {{.*}}, %[[GOES]]
// Behind the loop: the second product of the last iteration, and no first one.
// EARLY: simt.await %[[R]]#5 {place = 65536 : i64}
// EARLY: arith.select %{{.*}}, %[[R]]#0
// EARLY: stage.consume %[[VALUES]]
// EARLY-NEXT: %[[END:.*]] = stage.product async %[[R]]#4
// EARLY-NOT: stage.product
// EARLY: stage.wait but 0 %[[END]] :
// EARLY-NEXT: stage.release %[[VALUES]]
// EARLY-NOT: stage.product

// THREAD-LABEL: llvm.func @attention
// THREAD: simt.mma_async "wgmma.m64k16.f32.f16.registers" ({{.*}}) : f16 by %{{.*}} as #simt.matrix
// THREAD: simt.wait_products but 0
// THREAD: simt.mma_async "wgmma.m64k16.f32.f16.registers" ({{.*}}) : f16 by %{{.*}} as #simt.matrix
// THREAD: simt.wait_products but 0
tile.kernel @attention(%q: !tile.view<64x64xf16> {tile.readonly, tile.align = 16 : i64}, %keys: !tile.view<256x64xf16> {tile.readonly, tile.align = 16 : i64},
                       %values: !tile.view<256x64xf16> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<64x64xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %least = arith.constant dense<-1.0e30> : tensor<64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %n = tile.num_blocks %keys[0] by 64 : !tile.view<256x64xf16>
  %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero, %m = %least, %l = %none)
      -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %k = tile.load %keys[%j, %c0] : !tile.view<256x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %x, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %most = tile.reduce %s axis 1 : tensor<64x64xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    }
    %m2 = arith.maximumf %m, %most : tensor<64xf32>
    %m2c = tile.expand_dims %m2 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %m2b = tile.broadcast %m2c : tensor<64x1xf32> -> tensor<64x64xf32>
    %d = arith.subf %s, %m2b : tensor<64x64xf32>
    %p = math.exp2 %d : tensor<64x64xf32>
    %sum = tile.reduce %p axis 1 : tensor<64x64xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %fall = arith.subf %m, %m2 : tensor<64xf32>
    %scale = math.exp2 %fall : tensor<64xf32>
    %l1 = arith.mulf %l, %scale : tensor<64xf32>
    %l2 = arith.addf %l1, %sum : tensor<64xf32>
    %sc = tile.expand_dims %scale axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %sb = tile.broadcast %sc : tensor<64x1xf32> -> tensor<64x64xf32>
    %acc1 = arith.mulf %acc, %sb : tensor<64x64xf32>
    %ph = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xf16>
    %v = tile.load %values[%j, %c0] : !tile.view<256x64xf16> -> tensor<64x64xf16>
    %acc2 = tile.dot %ph, %v, %acc1 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %acc2, %m2, %l2 : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  %lc = tile.expand_dims %r#2 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %lb = tile.broadcast %lc : tensor<64x1xf32> -> tensor<64x64xf32>
  %out = arith.divf %r#0, %lb : tensor<64x64xf32>
  tile.store %out, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
