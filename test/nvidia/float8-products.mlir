// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions for floats of 8 bits are used where a product allows as many imprecise terms as one has; their sums are
// added in f32. Else, and before sm_89, such floats are multiplied as f16.
// RUN: for chip in sm_89 sm_90a sm_100 sm_120; do \
// RUN:   kiln-compile %s --target=nvidia:$chip,ptxas=none,verify=1 --no-fallback --emit=asm -o %t.ptx && FileCheck %s --check-prefixes=CHECK,BYTES < %t.ptx || exit 1; done
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none,verify=1 --no-fallback --emit=asm | FileCheck %s --check-prefixes=CHECK,HALVES

// 64 terms, of which 32 may be summed together: two sums, each added.
// CHECK-LABEL: .entry imprecise(
// BYTES: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
// BYTES: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
// BYTES: add.{{(rn.)?}}f32
// BYTES-NOT: .f32.f16.f16.f32
// HALVES: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
tile.kernel @imprecise(%a: !tile.view<16x64xf8E4M3FN>, %b: !tile.view<64x8xf8E5M2>, %c: !tile.view<16x8xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 1, threads_per_warp = 32>} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x64xf8E4M3FN> -> tensor<16x64xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x8xf8E5M2> -> tensor<64x8xf8E5M2>
  %z = tile.load %c[%c0, %c0] : !tile.view<16x8xf32> -> tensor<16x8xf32>
  %d = tile.dot %x, %y, %z {max_imprecise_acc = 32 : i64} : tensor<16x64xf8E4M3FN>, tensor<64x8xf8E5M2>, tensor<16x8xf32>
  tile.store %d, %c[%c0, %c0] : tensor<16x8xf32>, !tile.view<16x8xf32>
}

// CHECK-LABEL: .entry pairs(
// BYTES-DAG: .f32.e4m3.e4m3.f32
// BYTES-DAG: .f32.e5m2.e4m3.f32
// BYTES-DAG: .f32.e5m2.e5m2.f32
// HALVES-NOT: e4m3
tile.kernel @pairs(%a: !tile.view<16x32xf8E4M3FN>, %b: !tile.view<32x8xf8E4M3FN>, %e: !tile.view<16x32xf8E5M2>,
                   %f: !tile.view<32x8xf8E5M2>, %c: !tile.view<16x8xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xf8E4M3FN> -> tensor<16x32xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x8xf8E4M3FN> -> tensor<32x8xf8E4M3FN>
  %u = tile.load %e[%c0, %c0] : !tile.view<16x32xf8E5M2> -> tensor<16x32xf8E5M2>
  %v = tile.load %f[%c0, %c0] : !tile.view<32x8xf8E5M2> -> tensor<32x8xf8E5M2>
  %p = tile.dot %x, %y, %zero {max_imprecise_acc = 1073741824 : i64} : tensor<16x32xf8E4M3FN>, tensor<32x8xf8E4M3FN>, tensor<16x8xf32>
  %q = tile.dot %u, %y, %p {max_imprecise_acc = 1073741824 : i64} : tensor<16x32xf8E5M2>, tensor<32x8xf8E4M3FN>, tensor<16x8xf32>
  %r = tile.dot %u, %v, %q {max_imprecise_acc = 1073741824 : i64} : tensor<16x32xf8E5M2>, tensor<32x8xf8E5M2>, tensor<16x8xf32>
  tile.store %r, %c[%c0, %c0] : tensor<16x8xf32>, !tile.view<16x8xf32>
}

// Fewer terms than the instruction has.
// CHECK-LABEL: .entry few(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
tile.kernel @few(%a: !tile.view<16x32xf8E4M3FN>, %b: !tile.view<32x8xf8E4M3FN>, %c: !tile.view<16x8xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xf8E4M3FN> -> tensor<16x32xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x8xf8E4M3FN> -> tensor<32x8xf8E4M3FN>
  %p = tile.dot %x, %y, %zero {max_imprecise_acc = 16 : i64} : tensor<16x32xf8E4M3FN>, tensor<32x8xf8E4M3FN>, tensor<16x8xf32>
  tile.store %p, %c[%c0, %c0] : tensor<16x8xf32>, !tile.view<16x8xf32>
}
