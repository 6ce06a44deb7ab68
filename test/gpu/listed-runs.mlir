// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that name neighbours in runs are accessed by vectors: rows are looked up, and columns are counted, or hinted at. Where a
// mask may end within a run, or runs begin anywhere, elements are accessed one by one.
// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=1},simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' | FileCheck %s
!V = !tile.view<2305843009213693951xf16, strides = [1]>

// Rows of 64 at multiples of 64: 16 bytes at once.
// CHECK-LABEL: llvm.func @rows
// CHECK: simt.load {{.*}} vector<8xf16>
// CHECK: simt.store {{.*}} vector<8xf16>
tile.kernel @rows(%rows: !tile.view<8xi64>, %x: !tile.ptr<f16> {tile.facts = {align = 16 : i64}}, %y: !tile.ptr<f16> {tile.facts = {align = 16 : i64}}, %n: i64) {
  %c0 = arith.constant 0 : index
  %off = arith.constant dense<-1> : tensor<8x64xi64>
  %c64 = arith.constant dense<64> : tensor<8x64xi64>
  %r = tile.load %rows[%c0] : !tile.view<8xi64> -> tensor<8xi64>
  %column = tile.expand_dims %r axis 1 : tensor<8xi64> -> tensor<8x1xi64>
  %wide = tile.broadcast %column : tensor<8x1xi64> -> tensor<8x64xi64>
  %begin = arith.muli %wide, %c64 : tensor<8x64xi64>
  %j = tile.iota 1 : tensor<8x64xi64>
  %at = arith.addi %begin, %j : tensor<8x64xi64>
  %ns = tile.splat %n : tensor<8x64xi64>
  %mask = arith.cmpi slt, %wide, %ns : tensor<8x64xi64>
  %indices = arith.select %mask, %at, %off : tensor<8x64xi1>, tensor<8x64xi64>
  %xv = tile.make_view %x : !tile.ptr<f16> -> !V
  %yv = tile.make_view %y : !tile.ptr<f16> -> !V
  %v = tile.load_gather %xv[] dim 0 by %indices : !V, tensor<8x64xi64> -> tensor<8x64xf16>
  tile.store_scatter %v, %yv[] dim 0 by %indices : tensor<8x64xf16>, !V, tensor<8x64xi64>
  tile.return
}

// -----

!V = !tile.view<2305843009213693951xf16, strides = [1]>

// Columns up to any number.
// CHECK-LABEL: llvm.func @cut
// CHECK-NOT: vector<{{[0-9]+}}xf16>
// CHECK: llvm.return
tile.kernel @cut(%rows: !tile.view<8xi64>, %x: !tile.ptr<f16> {tile.facts = {align = 16 : i64}}, %y: !tile.ptr<f16> {tile.facts = {align = 16 : i64}}, %n: i64) {
  %c0 = arith.constant 0 : index
  %off = arith.constant dense<-1> : tensor<8x64xi64>
  %c64 = arith.constant dense<64> : tensor<8x64xi64>
  %r = tile.load %rows[%c0] : !tile.view<8xi64> -> tensor<8xi64>
  %column = tile.expand_dims %r axis 1 : tensor<8xi64> -> tensor<8x1xi64>
  %wide = tile.broadcast %column : tensor<8x1xi64> -> tensor<8x64xi64>
  %begin = arith.muli %wide, %c64 : tensor<8x64xi64>
  %j = tile.iota 1 : tensor<8x64xi64>
  %at = arith.addi %begin, %j : tensor<8x64xi64>
  %ns = tile.splat %n : tensor<8x64xi64>
  %mask = arith.cmpi slt, %j, %ns : tensor<8x64xi64>
  %indices = arith.select %mask, %at, %off : tensor<8x64xi1>, tensor<8x64xi64>
  %xv = tile.make_view %x : !tile.ptr<f16> -> !V
  %yv = tile.make_view %y : !tile.ptr<f16> -> !V
  %v = tile.load_gather %xv[] dim 0 by %indices : !V, tensor<8x64xi64> -> tensor<8x64xf16>
  tile.store_scatter %v, %yv[] dim 0 by %indices : tensor<8x64xf16>, !V, tensor<8x64xi64>
  tile.return
}

// -----

!V = !tile.view<2305843009213693951xf16, strides = [1]>

// Rows that begin anywhere.
// CHECK-LABEL: llvm.func @anywhere
// CHECK-NOT: vector<{{[0-9]+}}xf16>
// CHECK: llvm.return
tile.kernel @anywhere(%rows: !tile.view<8xi64>, %x: !tile.ptr<f16> {tile.facts = {align = 16 : i64}}, %y: !tile.ptr<f16> {tile.facts = {align = 16 : i64}}) {
  %c0 = arith.constant 0 : index
  %r = tile.load %rows[%c0] : !tile.view<8xi64> -> tensor<8xi64>
  %column = tile.expand_dims %r axis 1 : tensor<8xi64> -> tensor<8x1xi64>
  %wide = tile.broadcast %column : tensor<8x1xi64> -> tensor<8x64xi64>
  %j = tile.iota 1 : tensor<8x64xi64>
  %at = arith.addi %wide, %j : tensor<8x64xi64>
  %xv = tile.make_view %x : !tile.ptr<f16> -> !V
  %yv = tile.make_view %y : !tile.ptr<f16> -> !V
  %v = tile.load_gather %xv[] dim 0 by %at : !V, tensor<8x64xi64> -> tensor<8x64xf16>
  tile.store_scatter %v, %yv[] dim 0 by %at : tensor<8x64xf16>, !V, tensor<8x64xi64>
  tile.return
}

// -----

// A view that ends within a vector: each element is compared with its end.
// CHECK-LABEL: llvm.func @ends
// CHECK-NOT: vector<{{[0-9]+}}xf16>
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @whole
// CHECK: simt.load {{.*}} vector<8xf16>
tile.kernel @ends(%rows: !tile.view<8xi64>, %x: !tile.view<101xf16> {tile.facts = {align = 16 : i64}}, %y: !tile.view<?xf16> {tile.facts = {align = 16 : i64}}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant dense<64> : tensor<8x64xi64>
  %r = tile.load %rows[%c0] : !tile.view<8xi64> -> tensor<8xi64>
  %column = tile.expand_dims %r axis 1 : tensor<8xi64> -> tensor<8x1xi64>
  %wide = tile.broadcast %column : tensor<8x1xi64> -> tensor<8x64xi64>
  %begin = arith.muli %wide, %c64 : tensor<8x64xi64>
  %j = tile.iota 1 : tensor<8x64xi64>
  %at = arith.addi %begin, %j : tensor<8x64xi64>
  %v = tile.load_gather %x[] dim 0 by %at : !tile.view<101xf16>, tensor<8x64xi64> -> tensor<8x64xf16>
  tile.store_scatter %v, %y[] dim 0 by %at : tensor<8x64xf16>, !tile.view<?xf16>, tensor<8x64xi64>
  tile.return
}

tile.kernel @whole(%rows: !tile.view<8xi64>, %x: !tile.view<128xf16> {tile.facts = {align = 16 : i64}}, %y: !tile.view<?xf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant dense<64> : tensor<8x64xi64>
  %r = tile.load %rows[%c0] : !tile.view<8xi64> -> tensor<8xi64>
  %column = tile.expand_dims %r axis 1 : tensor<8xi64> -> tensor<8x1xi64>
  %wide = tile.broadcast %column : tensor<8x1xi64> -> tensor<8x64xi64>
  %begin = arith.muli %wide, %c64 : tensor<8x64xi64>
  %j = tile.iota 1 : tensor<8x64xi64>
  %at = arith.addi %begin, %j : tensor<8x64xi64>
  %v = tile.load_gather %x[] dim 0 by %at : !tile.view<128xf16>, tensor<8x64xi64> -> tensor<8x64xf16>
  tile.store_scatter %v, %y[] dim 0 by %at : tensor<8x64xf16>, !tile.view<?xf16>, tensor<8x64xi64>
  tile.return
}
