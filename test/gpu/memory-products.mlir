// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose instruction reads its factors from the memory of the block: slots of rings lie as it wants them, and with
// four of them a product goes on while the next one begins. All threads are executed, with factors found as descriptors of
// matrices say, for rows of 64 and 128 bytes and factors that lie along the sum and across it.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands{stages=4}))' | FileCheck %s --check-prefix=STAGED
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands{stages=4},stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,llvm.func(simt-interleave-copies,simt-verify-barriers),canonicalize,cse)' -o %t.four
// RUN: FileCheck %s --check-prefix=FOUR < %t.four
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands{stages=4},stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' -o %t.kernels
// RUN: FileCheck %s --check-prefix=KERNEL < %t.kernels
// RUN: %python %S/mutations.py kiln-opt --only=along --least=8 < %t.kernels
// RUN: kiln-opt %t.four --mlir-print-op-generic | %python %S/execute.py %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands{stages=3},stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,llvm.func(simt-interleave-copies,simt-verify-barriers),canonicalize,cse)' -o %t.three
// RUN: FileCheck %s --check-prefix=THREE < %t.three
// RUN: kiln-opt %t.three --mlir-print-op-generic | %python %S/execute.py %s
// Factors that nothing copies ahead are written to memory first.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,llvm.func(simt-interleave-copies,simt-verify-barriers),canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

#sums = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #simt.swizzle<row = 128, chunk = 16, align = 1024, across = true>
#made = #kiln.target<name = "made-up", chip = "one",
  memories = [#kiln.memory<name = "global", scope = device, kind = cached>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = 232448>],
  units = [#kiln.unit<name = "square", kind = matrix, types = [f16]>,
    #kiln.unit<name = "copy", kind = dma, homes = ["global", "shared"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "reads", unit = "square", m = <64>, n = <8 to 256 by 8>, k = <16>,
      lhs = <types = [f16], home = "shared", layout = #rows>, rhs = <types = [f16], home = "shared", layout = #rows>, acc = <types = [f32], layout = #sums>>]>

module attributes {kiln.target = #made} {
// along: a: f16 = [0x3c00 + (i * 7 % 5) * 0x100 for i in range(64 * 160)], b: f16 = [0x3800 + (i * 11 % 7) * 0x80 for i in range(128 * 160)], c: f32 = [0.0] * (64 * 128)
// along: expect c == [sum(number16(a[i * 160 + k]) * number16(b[j * 160 + k]) for k in range(160)) for i in range(64) for j in range(128)]
// STAGED-LABEL: tile.kernel @along
// STAGED: stage.alloc {align = 1024 : i64} : memref<64x32xf16, #stage.space<"shared", permute = array<i64: 1, 16, 128>>>
// STAGED: stage.alloc {align = 1024 : i64} : memref<32x128xf16, #stage.space<"shared", permute = array<i64: 0, 16, 128>>>
// STAGED: tile.dot {{.*}} {simt.decided = {row = "reads"}}
// STAGED: stage.decided = #stage.slots<4, ahead = 2>
// The loop carries the future of the product: the wait behind the next product is for that, and hands on the new one.
// KERNEL-LABEL: tile.kernel @along
// KERNEL: stage.ring {{.*}}held = 1 : i64
// KERNEL: %[[NONE:.*]] = simt.future %{{.*}} : tensor<64x128xf32
// KERNEL: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[NONE]]) -> (!stage.future<tensor<64x128xf32
// KERNEL: simt.wait_copies but 1
// KERNEL-NEXT: simt.publish
// KERNEL-NEXT: gpu.barrier
// KERNEL: stage.produce
// KERNEL: simt.commit_copies
// KERNEL: stage.consume
// KERNEL-NOT: gpu.barrier
// KERNEL: %[[SUM:.*]] = stage.product async {{.*}}, %[[BEFORE]] by @reads
// KERNEL-NEXT: %[[LATER:.*]]:2 = stage.wait but 1 %[[BEFORE]] : !stage.future<{{.*}} keep %[[SUM]] : !stage.future<
// KERNEL-NEXT: stage.release
// KERNEL-NEXT: scf.yield %[[LATER]]#1
// KERNEL: stage.wait but 0 %[[LAST]] : !stage.future<
// KERNEL-NEXT: gpu.barrier
// KERNEL-NEXT: simt.convert_layout {{.*}}simt.decided = {scratch = array<i64: 0, 32768>}
// FOUR-LABEL: llvm.func @along
// FOUR: scf.for
// FOUR: simt.wait_copies but 1
// FOUR-NEXT: simt.publish
// FOUR-NEXT: gpu.barrier
// FOUR: simt.mma_async "reads" %{{.*}} : !llvm.ptr<3> as #simt.matrix<row = 64, group = 512, panel = 4096, summed = true, steps = [0, 32], bytes = 4096> by %{{.*}} as #simt.matrix<row = 64, group = 512, panel = 8192, summed = true, steps = [0, 32], bytes = 8192>
// FOUR-NEXT: simt.commit_products
// FOUR: simt.copy_async
// FOUR: simt.wait_products but 1
// FOUR: scf.yield
// FOUR: simt.wait_products but 0
// THREE-LABEL: llvm.func @along
// THREE: scf.for
// THREE: simt.wait_products but 0
// THREE: scf.yield
// THREE-NOT: simt.wait_products
// THREE: llvm.return
tile.kernel @along(%x: !tile.view<64x160xf16> {tile.align = 16 : i64, tile.readonly}, %y: !tile.view<160x128xf16, strides = [1, 160]> {tile.align = 16 : i64, tile.readonly}, %z: !tile.view<64x128xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %sum = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %zero) -> tensor<64x128xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<64x160xf16> -> tensor<64x32xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<160x128xf16, strides = [1, 160]> -> tensor<32x128xf16>
    %d = tile.dot %a, %b, %s : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}

// Two groups of warps have 64 rows each. The left factor is transposed on its way, which its place takes over.
// across: a: f16 = [0x3c00 + (i * 7 % 5) * 0x100 for i in range(128 * 96)], b: f16 = [0x3800 + (i * 11 % 7) * 0x80 for i in range(96 * 64)], c: f32 = [0.0] * (128 * 64)
// across: expect c == [sum(number16(a[k * 128 + i]) * number16(b[k * 64 + j]) for k in range(96)) for i in range(128) for j in range(64)]
// FOUR-LABEL: llvm.func @across
// FOUR: simt.mma_async "reads" %{{.*}} : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 4096, summed = false, steps = [0, 2048], bytes = 4096> by %{{.*}} as #simt.matrix<row = 128, group = 1024, panel = 4096, summed = false, steps = [0, 2048], bytes = 4096>
tile.kernel @across(%x: !tile.view<96x128xf16> {tile.align = 16 : i64, tile.readonly}, %y: !tile.view<96x64xf16> {tile.align = 16 : i64, tile.readonly}, %z: !tile.view<128x64xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero) -> tensor<128x64xf32> {
    %a = tile.load %x[%k, %c0] : !tile.view<96x128xf16> -> tensor<32x128xf16>
    %t = tile.transpose %a [1, 0] : tensor<32x128xf16> -> tensor<128x32xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<96x64xf16> -> tensor<32x64xf16>
    %d = tile.dot %t, %b, %s : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// Rows that are longer than 128 bytes are cut; two groups share out the columns, and an edge reads as zeros.
// panels: a: f16 = [0x3c00 + (i * 7 % 5) * 0x100 for i in range(64 * 200)], b: f16 = [0x3800 + (i * 11 % 7) * 0x80 for i in range(200 * 256)], c: f32 = [0.0] * (64 * 256)
// panels: expect c == [sum(number16(a[i * 200 + k]) * number16(b[k * 256 + j]) for k in range(200)) for i in range(64) for j in range(256)]
// FOUR-LABEL: llvm.func @panels
// FOUR: simt.mma_async "reads" %{{.*}} : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32, 64, 96, 8192, 8224, 8256, 8288], bytes = 16384> by %{{.*}} as #simt.matrix<row = 128, group = 1024, panel = 16384, summed = false, steps = [0, 2048, 4096, 6144, 8192, 10240, 12288, 14336], bytes = 32768>
tile.kernel @panels(%x: !tile.view<64x200xf16> {tile.align = 16 : i64, tile.readonly}, %y: !tile.view<200x256xf16> {tile.align = 16 : i64, tile.readonly}, %z: !tile.view<64x256xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %zero) -> tensor<64x256xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<64x200xf16> -> tensor<64x128xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<200x256xf16> -> tensor<128x256xf16>
    %d = tile.dot %a, %b, %s : tensor<64x128xf16>, tensor<128x256xf16>, tensor<64x256xf32>
    scf.yield %d : tensor<64x256xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<64x256xf32>, !tile.view<64x256xf32>
}
}
