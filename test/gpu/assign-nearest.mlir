// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where no run of neighbours is known, lanes go along the dimension whose neighbours are mostly nearest in memory: along the output's
// columns of a convolution, which the remainder counts, and along strides that are smaller as far as anything is known of them.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: tile.kernel @remainders(
// CHECK: tile.load_gather {{.*}} -> tensor<64x32xf16, #simt.layout<rank = 2, register = {{.*}}, lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
tile.kernel @remainders(%a: !tile.view<1048576xf16, strides = [1]> {tile.readonly}, %o: !tile.view<64x32xf16>, %width: i32, %channels: i32) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %rows = tile.iota 0 : tensor<64xi32>
  %w = tile.splat %width : tensor<64xi32>
  %column = arith.remsi %rows, %w : tensor<64xi32>
  %channel = tile.iota 0 : tensor<32xi32>
  %s = tile.splat %channels : tensor<32xi32>
  %far = arith.muli %s, %channel : tensor<32xi32>
  %x = tile.reshape %column : tensor<64xi32> -> tensor<64x1xi32>
  %xs = tile.broadcast %x : tensor<64x1xi32> -> tensor<64x32xi32>
  %y = tile.reshape %far : tensor<32xi32> -> tensor<1x32xi32>
  %ys = tile.broadcast %y : tensor<1x32xi32> -> tensor<64x32xi32>
  %at = arith.addi %xs, %ys : tensor<64x32xi32>
  %t = tile.load_gather %a[] dim 0 by %at pad %zero : f16 : !tile.view<1048576xf16, strides = [1]>, tensor<64x32xi32> -> tensor<64x32xf16>
  tile.store %t, %o[%c0, %c0] : tensor<64x32xf16>, !tile.view<64x32xf16>
}

// CHECK-LABEL: tile.kernel @strides(
// CHECK: tile.load %arg0{{.*}} -> tensor<32x64xf16, #simt.layout<rank = 2, register = {{.*}}, lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
tile.kernel @strides(%a: !tile.view<32x64xf16, strides = [9, 576]> {tile.readonly}, %o: !tile.view<32x64xf16>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %a[%c0, %c0] : !tile.view<32x64xf16, strides = [9, 576]> -> tensor<32x64xf16>
  tile.store %t, %o[%c0, %c0] : tensor<32x64xf16>, !tile.view<32x64xf16>
}
