// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product whose instruction reads borrowed memory is waited for before another operation borrows the same bytes: a barrier
// does not end its reads.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-products,simt-insert-barriers))' --mlir-print-local-scope | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,llvm.func(simt-interleave-copies,simt-verify-barriers))' -o /dev/null

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
// CHECK-LABEL: tile.kernel @two
// CHECK: %[[FIRST:.*]] = stage.product async {{.*}}simt.decided = {columns = 128 : i64, scratch = array<i64: 0,
// CHECK: stage.wait but 0 %[[FIRST]] :
// CHECK: gpu.barrier
// CHECK-NEXT: stage.product async {{.*}}simt.decided = {columns = 128 : i64, scratch = array<i64: 0,
tile.kernel @two(%x: !tile.view<64x320xf16> {tile.align = 16 : i64, tile.readonly}, %y: !tile.view<320x128xf16, strides = [1, 320]> {tile.align = 16 : i64, tile.readonly},
                 %z: !tile.view<64x128xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %sums:2 = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %zero, %t = %zero) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
    %a = tile.load %x[%c0, %k] : !tile.view<64x320xf16> -> tensor<64x64xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<320x128xf16, strides = [1, 320]> -> tensor<64x128xf16>
    %first = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    %c = tile.load %x[%c0, %c0] : !tile.view<64x320xf16> -> tensor<64x64xf16>
    %second = tile.dot %c, %b, %zero : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    %u = arith.addf %second, %t : tensor<64x128xf32>
    scf.yield %first, %u : tensor<64x128xf32>, tensor<64x128xf32>
  }
  %sum = arith.addf %sums#0, %sums#1 : tensor<64x128xf32>
  tile.store %sum, %z[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}
}
