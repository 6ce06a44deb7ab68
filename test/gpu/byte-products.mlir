// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 8-bit floats and of integers whose instruction reads its factors from the memory of the block, as bytes. Such
// floats may be summed with fewer bits: all of them, so many at a time, which are then added in f32, or not at all.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-widen-float8-factors,tile-lower-float8,simt-assign-layouts,simt-stage-operands{stages=4},stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,llvm.func(simt-verify-barriers),canonicalize,cse)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-widen-float8-factors,tile-lower-float8,simt-assign-layouts,simt-stage-operands{stages=4},stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' -o %t.kernels
// RUN: %python %S/mutations.py kiln-opt --only=all --least=9 < %t.kernels
// RUN: %python %S/mutations.py kiln-opt --only=signs --least=9 < %t.kernels
// RUN: for seed in 0 3; do for k in all parts; do kiln-run %s --entry=$k --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1,1 \
// RUN:   --arg=random:1:f8E4M3FN:64x320 --arg=random:2:f8E5M2:128x320 --arg=zeros:f32:64x128 --check || exit 1; done; done | FileCheck %s --check-prefix=RIGHT
// RUN: kiln-run %s --entry=signs --target=reference,threads=nvidia:sm_90a,seed=2 --grid=1,1 --arg=random:1:i8:64x320 --arg=random:2:i8:128x320 \
// RUN:   --arg=zeros:i32:64x128 --check | FileCheck %s --check-prefix=SIGNS
// RIGHT-COUNT-4: argument 2 (c): ok: 64x128xf32
// RUN: kiln-run %s --entry=wide --target=reference,threads=nvidia:sm_90a,seed=3 --grid=1,1 \
// RUN:   --arg=random:1:f8E4M3FN:64x320 --arg=random:2:f8E5M2:256x320 --arg=zeros:f32:64x256 --check | FileCheck %s --check-prefix=WIDE
// WIDE: argument 2 (c): ok: 64x256xf32
// SIGNS: argument 2 (c): ok: 64x128xi32, largest error 0

#sums = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #simt.swizzle<row = 128, chunk = 16, align = 1024>
#made = #kiln.target<name = "made-up", chip = "one",
  memories = [#kiln.memory<name = "global", scope = device, kind = cached>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = 232448>],
  units = [#kiln.unit<name = "square", kind = matrix>, #kiln.unit<name = "copy", kind = dma, homes = ["global", "shared"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "floats", unit = "square", m = <64>, n = <8 to 256 by 8>, k = <32>,
      lhs = <types = [f8E4M3FN, f8E5M2], home = "shared", layout = #rows>, rhs = <types = [f8E4M3FN, f8E5M2], home = "shared", layout = #rows>,
      acc = <types = [f32], layout = #sums>>,
    #kiln.matrix_instruction<name = "integers", unit = "square", m = <64>, n = <8 to 256 by 8>, k = <32>,
      lhs = <types = [i8], home = "shared", layout = #rows>, rhs = <types = [i8], home = "shared", layout = #rows>,
      acc = <types = [i32], layout = #sums>>],
  extra = {converted = [f8E4M3FN, f8E5M2]}>

module attributes {kiln.target = #made} {
// All at once: a product may go on while the next one begins.
// CHECK-LABEL: llvm.func @all
// CHECK: simt.mma_async "floats" %{{.*}} : !llvm.ptr<3> as #simt.matrix<element = f8E4M3FN, row = 64, group = 512, panel = 4096, summed = true, steps = [0, 32], bytes = 4096> by %{{.*}} as #simt.matrix<element = f8E5M2, row = 64, group = 512, panel = 8192, summed = true, steps = [0, 32], bytes = 8192>
// CHECK-NEXT: simt.commit_products
// CHECK: simt.wait_products but 1
tile.kernel @all(%a: !tile.view<64x320xf8E4M3FN> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<128x320xf8E5M2> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<64x128xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<64x320xf8E4M3FN>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x320xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %y = tile.load %b[%c0, %k] : !tile.view<128x320xf8E5M2> -> tensor<128x64xf8E5M2>
    %t = tile.transpose %y [1, 0] : tensor<128x64xf8E5M2> -> tensor<64x128xf8E5M2>
    %d = tile.dot %x, %t, %s {max_imprecise_acc = 1073741824 : i64} : tensor<64x64xf8E4M3FN>, tensor<64x128xf8E5M2>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}

// 32 at a time, which is one step: each starts from zero and is waited for, then added.
// CHECK-LABEL: llvm.func @parts
// CHECK: scf.for
// CHECK: simt.mma_async "floats" %{{.*}} : !llvm.ptr<3> as #simt.matrix<element = f8E4M3FN, row = 64, group = 512, panel = 4096, summed = true, steps = [0], bytes = 4096> by %{{.*}} as #simt.matrix<element = f8E5M2, row = 64, group = 512, panel = 8192, summed = true, steps = [0], bytes = 8192> plus (%[[ZERO:cst[_0-9]*]], %[[ZERO]],
// CHECK-NEXT: simt.commit_products
// CHECK: %[[PART:.*]]:64 = simt.wait_products but 0
// CHECK: arith.addf %{{.*}}, %[[PART]]#0 : f32
// CHECK: simt.mma_async "floats" %{{.*}} : !llvm.ptr<3> as #simt.matrix<element = f8E4M3FN, row = 64, group = 512, panel = 4096, summed = true, steps = [32], bytes = 4096>
tile.kernel @parts(%a: !tile.view<64x320xf8E4M3FN> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<128x320xf8E5M2> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<64x128xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<64x320xf8E4M3FN>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x320xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %y = tile.load %b[%c0, %k] : !tile.view<128x320xf8E5M2> -> tensor<128x64xf8E5M2>
    %t = tile.transpose %y [1, 0] : tensor<128x64xf8E5M2> -> tensor<64x128xf8E5M2>
    %d = tile.dot %x, %t, %s {max_imprecise_acc = 32 : i64} : tensor<64x64xf8E4M3FN>, tensor<64x128xf8E5M2>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}

// The sums of one instruction lie beside those of the product: the wide product has two, one after the other.
// CHECK-LABEL: llvm.func @wide
// CHECK: scf.for
// CHECK: %[[ONE:.*]]:64 = simt.mma_async "floats" {{.*}} steps = [0, 32], bytes = 4096> {{.*}} steps = [0, 32], bytes = 8192>
// CHECK-NEXT: simt.commit_products
// CHECK-NEXT: %[[PART:.*]]:64 = simt.wait_products but 0 (%[[ONE]]#0,
// CHECK-NEXT: arith.addf %{{.*}}, %[[PART]]#0 : f32
// CHECK-COUNT-63: arith.addf
// CHECK-NOT: arith.addf
// CHECK: %[[TWO:.*]]:64 = simt.mma_async "floats"
// CHECK-NEXT: simt.commit_products
// CHECK-NEXT: simt.wait_products but 0 (%[[TWO]]#0,
// CHECK-COUNT-64: arith.addf
// CHECK-NOT: simt.mma_async
tile.kernel @wide(%a: !tile.view<64x320xf8E4M3FN> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<256x320xf8E5M2> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<64x256xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<64x320xf8E4M3FN>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x256xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x320xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %y = tile.load %b[%c0, %k] : !tile.view<256x320xf8E5M2> -> tensor<256x64xf8E5M2>
    %t = tile.transpose %y [1, 0] : tensor<256x64xf8E5M2> -> tensor<64x256xf8E5M2>
    %d = tile.dot %x, %t, %s {max_imprecise_acc = 64 : i64} : tensor<64x64xf8E4M3FN>, tensor<64x256xf8E5M2>, tensor<64x256xf32>
    scf.yield %d : tensor<64x256xf32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<64x256xf32>, !tile.view<64x256xf32>
}

// None: threads multiply.
// CHECK-LABEL: llvm.func @exact
// CHECK-NOT: simt.mma_async
// CHECK: llvm.return
tile.kernel @exact(%a: !tile.view<64x320xf8E4M3FN> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<128x320xf8E5M2> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<64x128xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<64x320xf8E4M3FN>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x320xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %y = tile.load %b[%c0, %k] : !tile.view<128x320xf8E5M2> -> tensor<128x64xf8E5M2>
    %t = tile.transpose %y [1, 0] : tensor<128x64xf8E5M2> -> tensor<64x128xf8E5M2>
    %d = tile.dot %x, %t, %s : tensor<64x64xf8E4M3FN>, tensor<64x128xf8E5M2>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}

// Each factor has a sign or not.
// CHECK-LABEL: llvm.func @signs
// CHECK: simt.mma_async "integers" %{{.*}} : !llvm.ptr<3> as #simt.matrix<element = ui8, {{.*}} by %{{.*}} as #simt.matrix<element = si8,
tile.kernel @signs(%a: !tile.view<64x320xi8> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<128x320xi8> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<64x128xi32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<64x128xi32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<64x320xi8>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xi32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x320xi8> -> tensor<64x64xi8>
    %y = tile.load %b[%c0, %k] : !tile.view<128x320xi8> -> tensor<128x64xi8>
    %t = tile.transpose %y [1, 0] : tensor<128x64xi8> -> tensor<64x128xi8>
    %d = tile.dot %x, %t, %s lhs_unsigned : tensor<64x64xi8>, tensor<64x128xi8>, tensor<64x128xi32>
    scf.yield %d : tensor<64x128xi32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<64x128xi32>, !tile.view<64x128xi32>
}
}
