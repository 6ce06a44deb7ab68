// A transposed convolution becomes a convolution for each remainder of positions, whose results are interleaved.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-split-phases{least-work=0}))' | FileCheck %s
// Filters of phases, whose elements lie apart, are copied for products with patches.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-split-phases{least-work=0},prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=TILE
// Machines that share out tiles keep the spread input, and so does a module without a target.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-split-phases{least-work=0}))' | FileCheck %s --check-prefix=WHOLE
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-split-phases{least-work=0}))' | FileCheck %s --check-prefix=WHOLE
// Small ones are left: launches of phases take longer than they save. @large saves 163840 multiply-adds for each phase, @first 40960.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-split-phases))' | FileCheck %s --check-prefix=LEAST
// LEAST-LABEL: func.func @first
// LEAST-NOT: prim.cat
// LEAST-LABEL: func.func @large
// LEAST: prim.cat
// WHOLE: func.func @first
// WHOLE-NOT: prim.cat

// Two of four elements of the window for each remainder. Channels stay before positions, as the input has them in memory.
// What a remainder leaves of the filter is multiplied by zeros, and added for elements that are not finite.
// CHECK-LABEL: func.func @first
// CHECK: %[[Z:.*]] = prim.mul %arg1
// CHECK: %[[S:.*]] = prim.sum %[[Z]] dims [2] : tensor<32x4x16xf32> -> tensor<32x4xf32>
// CHECK: prim.constant dense<{{\[\[}}false, true, false, true], [true, false, true, false]]> : tensor<2x4xi1>
// CHECK: %[[L:.*]] = prim.sum {{.*}} dims [2] : tensor<2x32x4xf32> -> tensor<2x32xf32>
// CHECK: %[[F0:.*]] = prim.slice %arg1 starts [0, 0, 0] limits [32, 4, 16] strides [1, 2, 1] : tensor<32x4x16xf32> -> tensor<32x2x16xf32>
// CHECK: %[[C0:.*]] = prim.conv %{{.*}}, %[[F0]] {{.*}}input_dilation = array<i64: 1>, pad_high = array<i64: 0>, pad_low = array<i64: 1>
// CHECK: prim.slice %[[L]] starts [0, 0] limits [1, 32]
// CHECK: %[[F1:.*]] = prim.slice %arg1 starts [0, 1, 0] limits [32, 4, 16] strides [1, 2, 1]
// CHECK: %[[C1:.*]] = prim.conv %{{.*}}, %[[F1]] {{.*}}input_dilation = array<i64: 1>, pad_high = array<i64: 1>, pad_low = array<i64: 0>
// CHECK: prim.cat %{{.*}}, %{{.*}} dim 3 : tensor<1x32x40x1xf32>, tensor<1x32x40x1xf32> -> tensor<1x32x40x2xf32>
// CHECK: prim.reshape {{.*}} -> tensor<1x32x80xf32>
// TILE: tile.kernel private @first_2_conv({{.*}}!tile.view<32x32xf32>
// TILE: tile.kernel private @first_2_conv_filter(
func.func @first(%x: tensor<1x16x40xf32>, %w: tensor<32x4x16xf32>, %b: tensor<32xf32>) -> tensor<1x32x80xf32> {
  %t = prim.transpose %x permutation [0, 2, 1] : tensor<1x16x40xf32> -> tensor<1x40x16xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1>, pad_low = array<i64: 2>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<1x40x16xf32>, tensor<32x4x16xf32> -> tensor<1x80x32xf32>
  %1 = prim.transpose %0 permutation [0, 2, 1] : tensor<1x80x32xf32> -> tensor<1x32x80xf32>
  %2 = prim.broadcast_in_dim %b dims [1] : tensor<32xf32> -> tensor<1x32x80xf32>
  %3 = prim.add %1, %2 : tensor<1x32x80xf32>
  return %3 : tensor<1x32x80xf32>
}

// One element for each remainder is a matmul, with the rows of the filter.
// CHECK-LABEL: func.func @pointwise
// CHECK-COUNT-2: prim.dot_general {{.*}} contract [1] x [1] : tensor<32x16xf32>, tensor<1x16x40xf32> -> tensor<32x1x40xf32>
// CHECK-NOT: prim.conv
func.func @pointwise(%x: tensor<1x16x40xf32>, %w: tensor<32x2x16xf32>) -> tensor<1x32x80xf32> {
  %t = prim.transpose %x permutation [0, 2, 1] : tensor<1x16x40xf32> -> tensor<1x40x16xf32>
  %0 = prim.conv %t, %w {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<1x40x16xf32>, tensor<32x2x16xf32> -> tensor<1x80x32xf32>
  %1 = prim.transpose %0 permutation [0, 2, 1] : tensor<1x80x32xf32> -> tensor<1x32x80xf32>
  return %1 : tensor<1x32x80xf32>
}

// Channels side by side stay so. A remainder without an element of the window is zero, and what is behind the end is cut off.
// CHECK-LABEL: func.func @last
// CHECK: prim.conv {{.*}} : tensor<1x40x16xf32>, tensor<32x1x16xf32> -> tensor<1x40x32xf32>
// CHECK: prim.full 0.000000e+00 : f32 : tensor<1x40x32xf32>
// CHECK: prim.cat {{.*}} dim 2 : tensor<1x40x1x32xf32>, tensor<1x40x1x32xf32> -> tensor<1x40x2x32xf32>
// CHECK: prim.slice {{.*}} limits [1, 79, 32] {{.*}} -> tensor<1x79x32xf32>
func.func @last(%x: tensor<1x40x16xf32>, %w: tensor<32x1x16xf32>) -> tensor<1x79x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<1x40x16xf32>, tensor<32x1x16xf32> -> tensor<1x79x32xf32>
  return %0 : tensor<1x79x32xf32>
}

// Strides along a spread dimension, and too many phases.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: prim.cat
// CHECK-LABEL: func.func @many
// CHECK-NOT: prim.cat
func.func @strided(%x: tensor<1x40x16xf32>, %w: tensor<32x4x16xf32>) -> tensor<1x27x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 3>, pad_low = array<i64: 2>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<1x40x16xf32>, tensor<32x4x16xf32> -> tensor<1x27x32xf32>
  return %0 : tensor<1x27x32xf32>
}

func.func @many(%x: tensor<1x40x16xf32>, %w: tensor<32x64x16xf32>) -> tensor<1x1218x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 16>, pad_high = array<i64: 16>, dilation = array<i64: 1>, input_dilation = array<i64: 32>, groups = 1 : i64} : tensor<1x40x16xf32>, tensor<32x64x16xf32> -> tensor<1x1218x32xf32>
  return %0 : tensor<1x1218x32xf32>
}

// CHECK-LABEL: func.func @large
// CHECK: prim.cat
func.func @large(%x: tensor<1x80x32xf32>, %w: tensor<32x4x32xf32>) -> tensor<1x160x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 2>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64} : tensor<1x80x32xf32>, tensor<32x4x32xf32> -> tensor<1x160x32xf32>
  return %0 : tensor<1x160x32xf32>
}
