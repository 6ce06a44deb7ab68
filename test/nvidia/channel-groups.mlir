// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed for groups of channels between windows, as by a norm: the result lies as its input does, though its channels
// are two dimensions there, and the window takes it without a copy.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},convert-prim-to-tile)' -o %t

// CHECK: tile.kernel private @groups_1_{{[a-z]*}}(%{{[^:]*}}: !tile.view<2x4x12x36xf16, strides = [1728, 12, 1, 48]>
// CHECK: tile.store {{.*}} !tile.view<2x4x12x36xf16, strides = [1728, 12, 1, 48]>
// CHECK-NOT: @groups_2_conv_input
func.func @groups(%x: tensor<2x6x6x48xf16>, %w: tensor<48x3x3x48xf16>, %m: tensor<2x4xf16>, %b: tensor<48xf16>) -> (tensor<2x6x6x48xf16>, tensor<2x6x6x48xf16>) {
  %0 = prim.fusion convolution(%x, %w) : (tensor<2x6x6x48xf16>, tensor<48x3x3x48xf16>) -> tensor<2x6x6x48xf16> {
  ^bb0(%p: tensor<2x6x6x48xf16>, %q: tensor<48x3x3x48xf16>):
    %5 = prim.conv %p, %q {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x6x6x48xf16>, tensor<48x3x3x48xf16> -> tensor<2x6x6x48xf16>
    prim.yield %5 : tensor<2x6x6x48xf16>
  }
  %1 = prim.fusion elementwise(%0, %m, %b) : (tensor<2x6x6x48xf16>, tensor<2x4xf16>, tensor<48xf16>) -> tensor<2x48x6x6xf16> {
  ^bb0(%p: tensor<2x6x6x48xf16>, %q: tensor<2x4xf16>, %r: tensor<48xf16>):
    %5 = prim.transpose %p permutation [0, 3, 1, 2] : tensor<2x6x6x48xf16> -> tensor<2x48x6x6xf16>
    %6 = prim.reshape %5 : tensor<2x48x6x6xf16> -> tensor<2x4x12x36xf16>
    %7 = prim.broadcast_in_dim %q dims [0, 1] : tensor<2x4xf16> -> tensor<2x4x12x36xf16>
    %8 = prim.sub %6, %7 : tensor<2x4x12x36xf16>
    %9 = prim.reshape %8 : tensor<2x4x12x36xf16> -> tensor<2x48x6x6xf16>
    %10 = prim.broadcast_in_dim %r dims [1] : tensor<48xf16> -> tensor<2x48x6x6xf16>
    %11 = prim.mul %9, %10 : tensor<2x48x6x6xf16>
    prim.yield %11 : tensor<2x48x6x6xf16>
  }
  %2 = prim.transpose %1 permutation [0, 2, 3, 1] : tensor<2x48x6x6xf16> -> tensor<2x6x6x48xf16>
  %3 = prim.fusion convolution(%2, %w) : (tensor<2x6x6x48xf16>, tensor<48x3x3x48xf16>) -> tensor<2x6x6x48xf16> {
  ^bb0(%p: tensor<2x6x6x48xf16>, %q: tensor<48x3x3x48xf16>):
    %5 = prim.conv %p, %q {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x6x6x48xf16>, tensor<48x3x3x48xf16> -> tensor<2x6x6x48xf16>
    prim.yield %5 : tensor<2x6x6x48xf16>
  }
  return %0, %3 : tensor<2x6x6x48xf16>, tensor<2x6x6x48xf16>
}
