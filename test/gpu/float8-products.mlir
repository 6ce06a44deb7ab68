// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8 bits are factors of f16 where a matrix instruction takes those; others stay as they are.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-widen-float8-factors))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-widen-float8-factors))' | FileCheck %s --check-prefix=NONE
// NONE-NOT: extf
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-widen-float8-factors))' -o %t
// They get as far as the instruction, on chips with and without one of their own.
// RUN: for chip in sm_80 sm_90a; do \
// RUN:   kiln-compile %s --target=nvidia:$chip,ptxas=none,verify=1 --no-fallback --emit=asm -o %t.ptx && FileCheck %s --check-prefix=PTX < %t.ptx || exit 1; done

// CHECK-LABEL: tile.kernel @bytes(
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : tensor<32x32xf8E4M3FN> to tensor<32x32xf16>
// CHECK: %[[Y:.*]] = arith.extf %{{.*}} : tensor<32x32xf8E5M2> to tensor<32x32xf16>
// CHECK: tile.dot %[[X]], %[[Y]], %{{.*}} : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
// PTX-LABEL: .entry bytes(
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
tile.kernel @bytes(%a: !tile.view<32x32xf8E4M3FN>, %b: !tile.view<32x32xf8E5M2>, %c: !tile.view<32x32xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xf8E4M3FN> -> tensor<32x32xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x32xf8E5M2> -> tensor<32x32xf8E5M2>
  %d = tile.dot %x, %y, %zero : tensor<32x32xf8E4M3FN>, tensor<32x32xf8E5M2>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// f16 does not have all numbers of the other factor.
// CHECK-LABEL: tile.kernel @beside(
// CHECK-NOT: extf
// CHECK: tile.dot
tile.kernel @beside(%a: !tile.view<32x32xf8E4M3FN>, %b: !tile.view<32x32xbf16>, %c: !tile.view<32x32xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xf8E4M3FN> -> tensor<32x32xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x32xbf16> -> tensor<32x32xbf16>
  %d = tile.dot %x, %y, %zero : tensor<32x32xf8E4M3FN>, tensor<32x32xbf16>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}
