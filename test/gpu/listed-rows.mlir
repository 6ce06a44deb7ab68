// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a list says the places along the dimension in which neighbours of the view lie together, lanes run along the list: its places are
// often near each other. Along the other dimension every element would lie in a line of its own.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: tile.kernel @listed
// CHECK: tile.load_gather {{.*}} -> tensor<64x64xf16, #simt.layout<rank = 2, register = {{.*}}, lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
tile.kernel @listed(%x: !tile.view<?x?xf16, strides = [1, ?]> {tile.readonly}, %list: !tile.view<64xi32> {tile.readonly},
                    %o: !tile.view<64x64xf16, strides = [1, 64]>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %l = tile.load %list[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %v = tile.load_gather %x[%c0] dim 0 by %l : !tile.view<?x?xf16, strides = [1, ?]>, tensor<64xi32> -> tensor<64x64xf16>
  tile.store %v, %o[%c0, %c0] : tensor<64x64xf16>, !tile.view<64x64xf16, strides = [1, 64]>
}

// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.load_gather {{.*}} -> tensor<64x64xf16, #simt.layout<rank = 2, register = {{.*}}, lane = {{\[\[}}0, 
tile.kernel @rows(%x: !tile.view<?x?xf16> {tile.readonly}, %list: !tile.view<64xi32> {tile.readonly},
                  %o: !tile.view<64x64xf16>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %l = tile.load %list[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %v = tile.load_gather %x[%c0] dim 0 by %l : !tile.view<?x?xf16>, tensor<64xi32> -> tensor<64x64xf16>
  tile.store %v, %o[%c0, %c0] : tensor<64x64xf16>, !tile.view<64x64xf16>
}
