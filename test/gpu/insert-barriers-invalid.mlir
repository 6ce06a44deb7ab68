// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a kernel without barriers would race: the conversion refuses it. Barriers are inserted once, and what operations
// borrow has to fit.
// RUN: not kiln-opt %s --convert-tile-to-simt 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers,simt-insert-barriers))' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-insert-barriers))' 2>&1 | FileCheck %s --check-prefix=ROOM

// NONE: insert-barriers-invalid.mlir:[[#@LINE+8]]:1: error: 'tile.kernel' op has no barriers; run simt-insert-barriers before
// TWICE: insert-barriers-invalid.mlir:[[#@LINE+7]]:1: error: 'tile.kernel' op has barriers already
// ROOM: insert-barriers-invalid.mlir:[[#@LINE+6]]:1: error: unsupported: kernel 'large' needs 262144 bytes of shared memory, an instance on sm_90a has {{[0-9]+}}

#l = #simt.layout<rank = 1, register = [[128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768]],
  lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#n = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

tile.kernel @large(%x: !tile.view<65536xf32> {tile.readonly}, %i: !tile.view<128xi32> {tile.readonly}, %y: !tile.view<128xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<65536xf32> -> tensor<65536xf32, #l>
  %p = tile.load %i[%c0] : !tile.view<128xi32> -> tensor<128xi32, #n>
  %g = tile.gather %a by %p axis 0 : tensor<65536xf32, #l>, tensor<128xi32, #n> -> tensor<128xf32, #n>
  tile.store %g, %y[%c0] : tensor<128xf32, #n>, !tile.view<128xf32>
}
