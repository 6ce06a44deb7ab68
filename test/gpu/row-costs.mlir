// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the matrix instructions that take a product the one with the least time computes it: by cycles, and by what is read
// of shared memory for it. Where one does not say its cycles, the first one does.
// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s

#l16 = #simt.layout<rank = 2, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], warp = []>
#r16 = #simt.layout<rank = 2, register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], warp = []>
#a16 = #simt.layout<rank = 2, register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], warp = []>
#l32 = #simt.layout<rank = 2, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], warp = []>
#r32 = #simt.layout<rank = 2, register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], warp = []>
#a32 = #simt.layout<rank = 2, register = [[1, 0], [2, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], warp = []>

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "cycles", topology = <lanes = 64>,
  memories = [#kiln.memory<name = "lds", scope = core, kind = explicit, line = 128, banks = 32>],
  units = [#kiln.unit<name = "matrix", kind = matrix, count = 4>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "small", unit = "matrix", m = <16>, n = <16>, k = <16>, lhs = <types = [f16], layout = #l16>,
      rhs = <types = [f16], layout = #r16>, acc = <types = [f32], layout = #a16>, cycles = 32>,
    #kiln.matrix_instruction<name = "large", unit = "matrix", m = <32>, n = <32>, k = <8>, lhs = <types = [f16], layout = #l32>,
      rhs = <types = [f16], layout = #r32>, acc = <types = [f32], layout = #a32>, cycles = 32>]>} {
// Twice the products in a cycle.
// CHECK-LABEL: tile.kernel @fast
// CHECK: tile.dot {{.*}}simt.decided = {row = "large"}
tile.kernel @fast(%a: !tile.view<64x64xf16>, %b: !tile.view<64x64xf16>, %c: !tile.view<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
// Three of four warps would compute what the first one does.
// CHECK-LABEL: tile.kernel @shared_out
// CHECK: tile.dot {{.*}}simt.decided = {row = "small"}
tile.kernel @shared_out(%a: !tile.view<32x64xf16>, %b: !tile.view<64x32xf16>, %c: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x64xf16> -> tensor<32x64xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x32xf16> -> tensor<64x32xf16>
  %d = tile.dot %x, %y, %zero : tensor<32x64xf16>, tensor<64x32xf16>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}
}

// -----

#l16 = #simt.layout<rank = 2, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], warp = []>
#r16 = #simt.layout<rank = 2, register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], warp = []>
// The second half of the lanes has copies of what the first one has.
#copies = #simt.layout<rank = 2, register = [[0, 1], [0, 2], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4]], warp = []>
#copiesR = #simt.layout<rank = 2, register = [[1, 0], [2, 0], [8, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0]], warp = []>

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "traffic", topology = <lanes = 64>,
  memories = [#kiln.memory<name = "lds", scope = core, kind = explicit, line = 128, banks = 32>],
  units = [#kiln.unit<name = "matrix", kind = matrix, count = 4>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "copied", unit = "matrix", m = <16>, n = <16>, k = <16>, lhs = <types = [f16], layout = #copies>,
      rhs = <types = [f16], layout = #copiesR>, acc = <types = [f32], layout = #r16>, cycles = 1>,
    #kiln.matrix_instruction<name = "once", unit = "matrix", m = <16>, n = <16>, k = <16>, lhs = <types = [f16], layout = #l16>,
      rhs = <types = [f16], layout = #r16>, acc = <types = [f32], layout = #r16>, cycles = 1>]>} {
// Both compute at the same rate, but the first one reads each element twice.
// CHECK-LABEL: tile.kernel @reads
// CHECK: tile.dot {{.*}}simt.decided = {row = "once"}
tile.kernel @reads(%a: !tile.view<64x64xf16>, %b: !tile.view<64x64xf16>, %c: !tile.view<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
}
