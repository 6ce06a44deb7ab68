// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products keep an accumulator of f16 where the description has a matrix instruction with it, for their types and sizes.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_80},tile.kernel(simt-widen-accumulators))' | FileCheck %s
// Without a description all sums are of f32.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-widen-accumulators))' | FileCheck %s --check-prefix=NONE
// NONE-NOT: tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>
// RUN: for chip in sm_75 sm_80 sm_90a; do \
// RUN:   kiln-compile %s --target=nvidia:$chip,ptxas=none,verify=1 --no-fallback --emit=asm -o %t.ptx && FileCheck %s --check-prefix=PTX < %t.ptx || exit 1; done

// CHECK-LABEL: tile.kernel @halves(
// CHECK-NOT: extf
// CHECK: tile.dot %{{.*}} : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>
// CHECK-NOT: truncf
// PTX-LABEL: .entry halves(
// PTX: mma.sync.aligned.m16n8k{{8|16}}.row.col.f16.f16.f16.f16
tile.kernel @halves(%a: !tile.view<32x32xf16>, %b: !tile.view<32x32xf16>, %c: !tile.view<32x32xf16> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf16>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xf16> -> tensor<32x32xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x32xf16> -> tensor<32x32xf16>
  %d = tile.dot %x, %y, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf16>, !tile.view<32x32xf16>
}

// A depth of four is too little for an instruction.
// CHECK-LABEL: tile.kernel @small(
// CHECK: arith.extf
// CHECK: tile.dot %{{.*}} : tensor<8x4xf16>, tensor<4x8xf16>, tensor<8x8xf32>
// CHECK: arith.truncf
// PTX-LABEL: .entry small(
// PTX-NOT: mma.sync
tile.kernel @small(%a: !tile.view<8x4xf16>, %b: !tile.view<4x8xf16>, %c: !tile.view<8x8xf16> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<8x4xf16> -> tensor<8x4xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<4x8xf16> -> tensor<4x8xf16>
  %z = tile.load %c[%c0, %c0] : !tile.view<8x8xf16> -> tensor<8x8xf16>
  %d = tile.dot %x, %y, %z : tensor<8x4xf16>, tensor<4x8xf16>, tensor<8x8xf16>
  tile.store %d, %c[%c0, %c0] : tensor<8x8xf16>, !tile.view<8x8xf16>
}
