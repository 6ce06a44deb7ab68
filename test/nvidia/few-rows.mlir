// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix instruction with more rows or columns than a product has multiplies copies of these. Where the product has fewer rows
// than columns, the instruction computes its transpose, with lhs and rhs exchanged, if that takes fewer instructions. Warps share out
// batches before rows and columns.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' --mlir-print-local-scope | FileCheck %s
// RUN: kiln-compile %s --entry=eight --target=nvidia:sm_90a --emit=asm -o - | FileCheck %s --check-prefix=EIGHT
// RUN: kiln-compile %s --entry=one --target=nvidia:sm_90a --emit=asm -o - | FileCheck %s --check-prefix=ONE
// RUN: for seed in 0 3; do for k in eight one four narrow both batches few_batches; do kiln-run %s --entry=$k --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1 \
// RUN:   --inputs=random --check || exit 1; done; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-14: argument 2 (c): ok

// No thread multiplies by itself.
// EIGHT-LABEL: .entry eight(
// EIGHT: ldmatrix
// EIGHT-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// EIGHT-NOT: fma.rn
// ONE-LABEL: .entry one(
// ONE: ldmatrix
// ONE-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// ONE-NOT: fma.rn

// As many rows as the instruction has columns: no copies.
// CHECK-LABEL: tile.kernel @eight
// CHECK: tile.dot {{.*}}exchanged, row = "mma.m16n8k16.f32.f16"{{.*}}tensor<8x64xf32, #simt.layout<rank = 2, register = {{\[\[}}1, 0], [0, 8]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 16], [0, 32]]>>
tile.kernel @eight(%a: !tile.view<8x128xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<64x128xf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<8x64xf32> {tile.noalias, tile.align = 16 : i64})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<8x64xf32>
  %n = arith.constant 2 : index
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<8x64xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<8x128xf16> -> tensor<8x64xf16>
    %t = tile.load %b[%c0, %k] : !tile.view<64x128xf16> -> tensor<64x64xf16>
    %y = tile.transpose %t [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %s : tensor<8x64xf16>, tensor<64x64xf16>, tensor<8x64xf32>
    scf.yield %d : tensor<8x64xf32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<8x64xf32>, !tile.view<8x64xf32>
}

// One row: seven of eight are copies, in lanes and registers.
// CHECK-LABEL: tile.kernel @one
// CHECK: tile.dot {{.*}}exchanged, row = "mma.m16n8k16.f32.bf16"{{.*}}tensor<1x64xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 8]], lane = {{\[\[}}0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 16], [0, 32]]>>
tile.kernel @one(%a: !tile.view<1x128xbf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<64x128xbf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<1x64xf32> {tile.noalias, tile.align = 16 : i64})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<1x64xf32>
  %n = arith.constant 2 : index
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<1x64xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<1x128xbf16> -> tensor<1x64xbf16>
    %t = tile.load %b[%c0, %k] : !tile.view<64x128xbf16> -> tensor<64x64xbf16>
    %y = tile.transpose %t [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<1x64xbf16>, tensor<64x64xbf16>, tensor<1x64xf32>
    scf.yield %d : tensor<1x64xf32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<1x64xf32>, !tile.view<1x64xf32>
}

// The other factor may lie either way.
// CHECK-LABEL: tile.kernel @four
// CHECK: tile.dot {{.*}}exchanged, row = "mma.m16n8k16.f32.f16"
tile.kernel @four(%a: !tile.view<4x128xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<128x32xf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<4x32xf32> {tile.noalias, tile.align = 16 : i64})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4x32xf32>
  %n = arith.constant 2 : index
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<4x32xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<4x128xf16> -> tensor<4x64xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<128x32xf16> -> tensor<64x32xf16>
    %d = tile.dot %x, %y, %s : tensor<4x64xf16>, tensor<64x32xf16>, tensor<4x32xf32>
    scf.yield %d : tensor<4x32xf32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<4x32xf32>, !tile.view<4x32xf32>
}

// Few columns.
// CHECK-LABEL: tile.kernel @narrow
// CHECK: tile.dot {{.*}}simt.decided = {row = "mma.m16n8k16.f32.f16"}
tile.kernel @narrow(%a: !tile.view<64x128xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<4x128xf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<64x4xf32> {tile.noalias, tile.align = 16 : i64})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x4xf32>
  %n = arith.constant 2 : index
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x4xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x128xf16> -> tensor<64x64xf16>
    %t = tile.load %b[%c0, %k] : !tile.view<4x128xf16> -> tensor<4x64xf16>
    %y = tile.transpose %t [1, 0] : tensor<4x64xf16> -> tensor<64x4xf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xf16>, tensor<64x4xf16>, tensor<64x4xf32>
    scf.yield %d : tensor<64x4xf32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<64x4xf32>, !tile.view<64x4xf32>
}

// Few of both.
// CHECK-LABEL: tile.kernel @both
// CHECK: tile.dot {{.*}}simt.decided = {row = "mma.m16n8k32.i32.i8"}
tile.kernel @both(%a: !tile.view<2x64xi8> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<2x64xi8> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<2x2xi32> {tile.noalias, tile.align = 16 : i64})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<2x2xi32>
  %n = arith.constant 1 : index
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<2x2xi32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<2x64xi8> -> tensor<2x64xi8>
    %t = tile.load %b[%c0, %k] : !tile.view<2x64xi8> -> tensor<2x64xi8>
    %y = tile.transpose %t [1, 0] : tensor<2x64xi8> -> tensor<64x2xi8>
    %d = tile.dot %x, %y, %s : tensor<2x64xi8>, tensor<64x2xi8>, tensor<2x2xi32>
    scf.yield %d : tensor<2x2xi32>
  }
  tile.store %acc, %c[%c0, %c0] : tensor<2x2xi32>, !tile.view<2x2xi32>
}

// Each warp has a batch of its own.
// CHECK-LABEL: tile.kernel @batches
// CHECK: tile.dot {{.*}}row = "mma.m16n8k16.f32.f16"{{.*}}tensor<4x16x16xf32, #simt.layout<{{.*}}warp = {{\[\[}}1, 0, 0], [2, 0, 0]]>>
tile.kernel @batches(%a: !tile.view<4x16x128xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<4x16x128xf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<4x16x16xf32> {tile.noalias, tile.align = 16 : i64})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4x16x16xf32>
  %n = arith.constant 2 : index
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<4x16x16xf32>) {
    %x = tile.load %a[%c0, %c0, %k] : !tile.view<4x16x128xf16> -> tensor<4x16x64xf16>
    %t = tile.load %b[%c0, %c0, %k] : !tile.view<4x16x128xf16> -> tensor<4x16x64xf16>
    %y = tile.transpose %t [0, 2, 1] : tensor<4x16x64xf16> -> tensor<4x64x16xf16>
    %d = tile.dot %x, %y, %s : tensor<4x16x64xf16>, tensor<4x64x16xf16>, tensor<4x16x16xf32>
    scf.yield %d : tensor<4x16x16xf32>
  }
  tile.store %acc, %c[%c0, %c0, %c0] : tensor<4x16x16xf32>, !tile.view<4x16x16xf32>
}

// More warps than batches.
// CHECK-LABEL: tile.kernel @few_batches
// CHECK: tile.dot {{.*}}exchanged, row = "mma.m16n8k16.f32.f16"{{.*}}tensor<2x8x32xf32, #simt.layout<{{.*}}warp = {{\[\[}}0, 0, 16], [1, 0, 0]]>>
tile.kernel @few_batches(%a: !tile.view<2x8x128xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<2x128x32xf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<2x8x32xf32> {tile.noalias, tile.align = 16 : i64})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<2x8x32xf32>
  %n = arith.constant 2 : index
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<2x8x32xf32>) {
    %x = tile.load %a[%c0, %c0, %k] : !tile.view<2x8x128xf16> -> tensor<2x8x64xf16>
    %y = tile.load %b[%c0, %k, %c0] : !tile.view<2x128x32xf16> -> tensor<2x64x32xf16>
    %d = tile.dot %x, %y, %s : tensor<2x8x64xf16>, tensor<2x64x32xf16>, tensor<2x8x32xf32>
    scf.yield %d : tensor<2x8x32xf32>
  }
  tile.store %acc, %c[%c0, %c0, %c0] : tensor<2x8x32xf32>, !tile.view<2x8x32xf32>
}
