// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where threads move several elements at once, kernels that anybody launches have a variant for views whose rows begin at
// multiples of such an access. Their launch asks the buffers.
// RUN: kiln-opt %s --load-target=%S/Inputs/wide.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=wide},tile-vary-sizes)' | FileCheck %s --implicit-check-not=told_aligned --implicit-check-not=moves_nothing_aligned
// Once is enough.
// RUN: kiln-opt %s --load-target=%S/Inputs/wide.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=wide},tile-vary-sizes,tile-vary-sizes)' | FileCheck %s --implicit-check-not=aligned_aligned
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile-vary-sizes)' | FileCheck %s --check-prefix=OFF --implicit-check-not=_aligned
// OFF: tile.kernel @open
// RUN: unset KILN_NO_FALLBACK; kiln-compile %s --load-target=%S/Inputs/wide.mlir --target=wide -o %t.kiln
// RUN: kiln-run %t.kiln --load-target=%S/Inputs/wide.mlir --inspect | FileCheck %s --check-prefix=HOST
// RUN: for dim in 32 37; do kiln-run %t.kiln --load-target=%S/Inputs/wide.mlir --entry=open --grid=1 --check \
// RUN:   --arg=random:1:bf16:40x$dim --arg=zeros:bf16:40x32 || exit 1; done

// CHECK: tile.kernel @open(%{{.*}}: !tile.view<?x?xbf16> {tile.facts = {readonly}}, %{{.*}}: !tile.view<?x32xbf16, strides = [?, 1]>) attributes {variants = [@open_aligned]}
// CHECK: tile.kernel private @open_aligned(
// CHECK-SAME: !tile.view<?x?xbf16> {tile.facts = {align = 16 : i64, readonly, size_div = array<i64: 1, 8>}}
// CHECK-SAME: !tile.view<?x32xbf16, strides = [?, 1]> {tile.facts = {align = 16 : i64, stride_div = array<i64: 8, 1>}}
// HOST: kernel open(b0: <?x?xbf16>, b1: <?x32xbf16>)
// HOST: aligned b0, 16
// HOST: dim b0[1]
// HOST: aligned b1, 16
// HOST: stride b1[0]
// HOST: launch if r{{[0-9]+}} open_aligned<r0, r1, r2> open<r0, r1, r2>(b0, b1)
tile.kernel @open(%x: !tile.view<?x?xbf16> {tile.readonly}, %y: !tile.view<?x32xbf16, strides = [?, 1]>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<16x32xbf16>
  tile.store %a, %y[%c0, %c0] : tensor<16x32xbf16>, !tile.view<?x32xbf16, strides = [?, 1]>
}

// A row by itself only has to begin where it should. What is told already stays.
// CHECK: tile.kernel private @row_aligned(%{{.*}}: !tile.view<?xf32> {tile.facts = {align = 16 : i64}}, %{{.*}}: !tile.view<8x?xf32> {tile.facts = {align = 64 : i64, size_div = array<i64: 1, 12>}})
tile.kernel @row(%x: !tile.view<?xf32>, %y: !tile.view<8x?xf32> {tile.align = 64 : i64, tile.size_div = array<i64: 1, 6>}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<64xf32>
  tile.store %a, %y[%c0, %c0] : tensor<64xf32>, !tile.view<8x?xf32>
}

tile.kernel @told(%x: !tile.view<8x8xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<8x8xf32> -> tensor<8x8xf32>
  tile.store %a, %x[%c0, %c0] : tensor<8x8xf32>, !tile.view<8x8xf32>
}

// Nor are there neighbours in single elements, or rows of a length that no access divides.
tile.kernel @moves_nothing(%x: !tile.view<?x?xf32>, %y: !tile.view<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<1x1xf32>
  tile.store %a, %x[%c0, %c0] : tensor<1x1xf32>, !tile.view<?x?xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<?x5xf32> -> tensor<4x8xf32>
  tile.store %b, %y[%c0, %c0] : tensor<4x8xf32>, !tile.view<?x5xf32>
}
