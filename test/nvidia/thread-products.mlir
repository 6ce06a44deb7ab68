// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What no matrix instruction takes is multiplied by threads. Each has a block of about as many rows as columns; of both factors it reads
// 16 bytes at a time: four steps of a row, four columns of a step.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' --mlir-print-local-scope | FileCheck %s --check-prefix=LAYOUT
// RUN: kiln-compile %s --entry=square --target=nvidia:sm_90a,warps=4 --emit=asm -o - | FileCheck %s
// RUN: kiln-compile %s --target=amd:gfx942 --emit=asm -o /dev/null
// RUN: for seed in 0 3; do kiln-run %s --entry=square --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1 --arg=random:1:f32:64x64 --arg=random:2:f32:64x64 --arg=zeros:f32:64x64 --check || exit 1; done | FileCheck %s --check-prefix=SQUARE
// RUN: kiln-run %s --entry=batches --target=reference,threads=nvidia:sm_90a --grid=1 --arg=random:1:f32:4x16x16 --arg=random:2:f32:4x16x32 --arg=zeros:f32:4x16x32 --check | FileCheck %s --check-prefix=BATCHES
// RUN: kiln-run %s --entry=deep --target=reference,threads=nvidia:sm_90a --grid=1 --arg=random:1:f64:8x64 --arg=random:2:f64:64x64 --arg=zeros:f64:8x64 --check | FileCheck %s --check-prefix=DEEP
// RUN: kiln-run %s --entry=whole --target=reference,threads=nvidia:sm_90a --grid=1 --arg=random:1:i32:64x32 --arg=random:2:i32:32x16 --arg=zeros:i32:64x16 --check | FileCheck %s --check-prefix=WHOLE
// RUN: kiln-compile %s --entry=turned --target=nvidia:sm_90a,warps=4 --emit=asm -o - | FileCheck %s --check-prefix=TURNED
// RUN: for seed in 0 3; do kiln-run %s --entry=turned --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1 --arg=random:1:f32:64x60 --arg=random:2:f32:48x60 --arg=zeros:f32:64x48 --check || exit 1; done | FileCheck %s --check-prefix=TURNED-RIGHT
// RUN: kiln-run %s --entry=turned16 --target=reference,threads=nvidia:sm_90a --grid=1 --arg=random:1:f16:64x64 --arg=random:2:f16:64x64 --arg=zeros:f64:64x64 --check | FileCheck %s --check-prefix=TURNED16
// TURNED-RIGHT-COUNT-2: argument 2 (z): ok: 64x48xf32
// TURNED16: argument 2 (z): ok: 64x64xf64
// SQUARE-COUNT-2: argument 2 (z): ok: 64x64xf32
// BATCHES: argument 2 (z): ok: 4x16x32xf32
// DEEP: argument 2 (z): ok: 8x64xf64
// WHOLE: argument 2 (z): ok: 64x16xi32

// Four columns side by side, four rows, and other columns. Of lanes 0 and 1 the columns are the same, of lanes 0 and 2 the rows.
// LAYOUT-LABEL: tile.kernel @square
// LAYOUT: tile.dot {{.*}}, tensor<64x64xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [16, 0], [32, 0], [0, 32]], lane = {{\[\[}}1, 0], [0, 4], [0, 8], [0, 16], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]]>>
// CHECK-LABEL: .entry square(
// CHECK: st.shared.v4.b32
// CHECK: bar.sync
// CHECK: $L__BB0_1:
// CHECK-COUNT-12: ld.shared.v4.b32
// CHECK-NOT: ld.shared
// CHECK: bra
tile.kernel @square(%x: !tile.view<64x64xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<64x64xf32> {tile.readonly, tile.align = 16 : i64}, %z: !tile.view<64x64xf32> {tile.align = 16 : i64}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %d = tile.dot %a, %b, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %d, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

tile.kernel @batches(%x: !tile.view<4x16x16xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<4x16x32xf32> {tile.readonly, tile.align = 16 : i64}, %z: !tile.view<4x16x32xf32> {tile.align = 16 : i64}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<4x16x32xf32>
  %a = tile.load %x[%c0, %c0, %c0] : !tile.view<4x16x16xf32> -> tensor<4x16x16xf32>
  %b = tile.load %y[%c0, %c0, %c0] : !tile.view<4x16x32xf32> -> tensor<4x16x32xf32>
  %d = tile.dot %a, %b, %zero : tensor<4x16x16xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>
  tile.store %d, %z[%c0, %c0, %c0] : tensor<4x16x32xf32>, !tile.view<4x16x32xf32>
}

tile.kernel @deep(%x: !tile.view<8x64xf64> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<64x64xf64> {tile.readonly, tile.align = 16 : i64}, %z: !tile.view<8x64xf64> {tile.align = 16 : i64}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<8x64xf64>
  %a = tile.load %x[%c0, %c0] : !tile.view<8x64xf64> -> tensor<8x64xf64>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x64xf64> -> tensor<64x64xf64>
  %d = tile.dot %a, %b, %zero : tensor<8x64xf64>, tensor<64x64xf64>, tensor<8x64xf64>
  tile.store %d, %z[%c0, %c0] : tensor<8x64xf64>, !tile.view<8x64xf64>
}

tile.kernel @whole(%x: !tile.view<64x32xi32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<32x16xi32> {tile.readonly, tile.align = 16 : i64}, %z: !tile.view<64x16xi32> {tile.align = 16 : i64}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<64x16xi32>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x32xi32> -> tensor<64x32xi32>
  %b = tile.load %y[%c0, %c0] : !tile.view<32x16xi32> -> tensor<32x16xi32>
  %d = tile.dot %a, %b, %zero : tensor<64x32xi32>, tensor<32x16xi32>, tensor<64x16xi32>
  tile.store %d, %z[%c0, %c0] : tensor<64x16xi32>, !tile.view<64x16xi32>
}

// A right factor whose columns lie side by side along the sum is written by 16 bytes of a column, and read so: its columns are the rows of
// shared memory.
// LAYOUT-LABEL: tile.kernel @turned(
// LAYOUT: tile.dot {{.*}}, tensor<64x64xf32, #simt.layout<rank = 2, register = {{\[\[}}16, 0], [32, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [0, 1], [0, 2], [0, 4], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]]>>
// TURNED-LABEL: .entry turned(
// TURNED-NOT: st.shared.b32
// TURNED: bar.sync
// TURNED-COUNT-12: ld.shared.v4.b32
// TURNED-NOT: ld.shared
// TURNED: bra
tile.kernel @turned(%x: !tile.view<64x60xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<48x60xf32> {tile.readonly, tile.align = 16 : i64}, %z: !tile.view<64x48xf32> {tile.align = 16 : i64}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x60xf32> -> tensor<64x64xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<48x60xf32> -> tensor<64x64xf32>
  %t = tile.transpose %b [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %d = tile.dot %a, %t, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %d, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x48xf32>
}

// Elements of 16 bits, too, whose sums no matrix instruction takes.
tile.kernel @turned16(%x: !tile.view<64x64xf16> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<64x64xf16> {tile.readonly, tile.align = 16 : i64}, %z: !tile.view<64x64xf64> {tile.align = 16 : i64}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf64>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %t = tile.transpose %b [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %a, %t, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf64>
  tile.store %d, %z[%c0, %c0] : tensor<64x64xf64>, !tile.view<64x64xf64>
}
