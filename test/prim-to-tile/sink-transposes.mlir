// Transpositions move behind what computes with transposed elements, where threads share out tiles.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-sink-transposes,canonicalize))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-sink-transposes))' | FileCheck %s --check-prefix=CPU
// RUN: for entry in between computed sums moved repeated channels kept groups joined; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --entry=pairs --explain --emit=program -o %t.program | FileCheck %s --check-prefix=CLAIMED
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CPU-LABEL: func.func @between
// CPU-NEXT: prim.transpose

// What meets its inverse is gone. Repeated numbers and splats can be had in any order.
// CHECK-LABEL: func.func @between(
// CHECK-NOT: prim.transpose
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg1 dims [3] : tensor<3xf32> -> tensor<2x4x5x3xf32>
// CHECK: prim.mul %arg0, %[[B]] : tensor<2x4x5x3xf32>
// CHECK: prim.maximum
// CHECK-NOT: prim.transpose
// CHECK: return
func.func @between(%x: tensor<2x4x5x3xf32>, %s: tensor<3xf32>) -> tensor<2x4x5x3xf32> {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x4x5x3xf32> -> tensor<2x3x4x5xf32>
  %1 = prim.broadcast_in_dim %s dims [1] : tensor<3xf32> -> tensor<2x3x4x5xf32>
  %2 = prim.mul %0, %1 : tensor<2x3x4x5xf32>
  %z = prim.constant dense<0.0> : tensor<2x3x4x5xf32>
  %3 = prim.maximum %2, %z : tensor<2x3x4x5xf32>
  %4 = prim.transpose %3 permutation [0, 2, 3, 1] : tensor<2x3x4x5xf32> -> tensor<2x4x5x3xf32>
  return %4 : tensor<2x4x5x3xf32>
}

// So can what a few operations compute from them, as the gradient of a mean over an image.
// CHECK-LABEL: func.func @computed(
// CHECK-NOT: prim.transpose
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg1 dims [0, 3] : tensor<2x3xbf16> -> tensor<2x4x5x3xbf16>
// CHECK: %[[C:.*]] = prim.convert_element_type %[[B]]
// CHECK: prim.div %[[C]], %{{.*}} : tensor<2x4x5x3xf32>
// CHECK-NOT: prim.transpose
// CHECK: return
func.func @computed(%x: tensor<2x4x5x3xf32>, %s: tensor<2x3xbf16>) -> tensor<2x4x5x3xf32> {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x4x5x3xf32> -> tensor<2x3x4x5xf32>
  %1 = prim.broadcast_in_dim %s dims [0, 1] : tensor<2x3xbf16> -> tensor<2x3x4x5xbf16>
  %2 = prim.convert_element_type %1 : tensor<2x3x4x5xbf16> -> tensor<2x3x4x5xf32>
  %n = prim.constant dense<20.0> : tensor<2x3x4x5xf32>
  %3 = prim.div %2, %n : tensor<2x3x4x5xf32>
  %4 = prim.add %0, %3 : tensor<2x3x4x5xf32>
  %5 = prim.transpose %4 permutation [0, 2, 3, 1] : tensor<2x3x4x5xf32> -> tensor<2x4x5x3xf32>
  return %5 : tensor<2x4x5x3xf32>
}

// Sums over the same elements; those that stay may have another order.
// CHECK-LABEL: func.func @sums(
// CHECK: prim.sum %arg0 dims [0, 1, 2] : tensor<2x4x5x3xf32> -> tensor<3xf32>
// CHECK: %[[S:.*]] = prim.sum %arg0 dims [2] : tensor<2x4x5x3xf32> -> tensor<2x4x3xf32>
// CHECK: prim.transpose %[[S]] permutation [0, 2, 1]
func.func @sums(%x: tensor<2x4x5x3xf32>) -> (tensor<3xf32>, tensor<2x3x4xf32>) {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x4x5x3xf32> -> tensor<2x3x4x5xf32>
  %1 = prim.sum %0 dims [0, 2, 3] : tensor<2x3x4x5xf32> -> tensor<3xf32>
  %2 = prim.sum %0 dims [3] : tensor<2x3x4x5xf32> -> tensor<2x3x4xf32>
  return %1, %2 : tensor<3xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @moved(
// CHECK: %[[P:.*]] = prim.pad %arg0 low [0, 1, 0, 0] high [0, 0, 2, 0]
// CHECK: %[[S:.*]] = prim.slice %[[P]] starts [0, 1, 0, 0] limits [2, 5, 7, 3] strides [1, 2, 1, 1]
// CHECK: prim.transpose %[[S]] permutation [0, 3, 1, 2]
func.func @moved(%x: tensor<2x4x5x3xf32>) -> tensor<2x3x2x7xf32> {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x4x5x3xf32> -> tensor<2x3x4x5xf32>
  %1 = prim.pad %0 low [0, 0, 1, 0] high [0, 0, 0, 2] value 0.0 : f32 : tensor<2x3x4x5xf32> -> tensor<2x3x5x7xf32>
  %2 = prim.slice %1 starts [0, 0, 1, 0] limits [2, 3, 5, 7] strides [1, 1, 2, 1] : tensor<2x3x5x7xf32> -> tensor<2x3x2x7xf32>
  return %2 : tensor<2x3x2x7xf32>
}

// Neighbours are repeated side by side, and become one dimension.
// CHECK-LABEL: func.func @repeated(
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg0 dims [0, 1, 3, 5] : tensor<2x4x5x3xf32> -> tensor<2x4x2x5x2x3xf32>
// CHECK: %[[R:.*]] = prim.reshape %[[B]] : tensor<2x4x2x5x2x3xf32> -> tensor<2x8x10x3xf32>
// CHECK: prim.transpose %[[R]] permutation [0, 3, 1, 2]
func.func @repeated(%x: tensor<2x4x5x3xf32>) -> tensor<2x3x8x10xf32> {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x4x5x3xf32> -> tensor<2x3x4x5xf32>
  %1 = prim.broadcast_in_dim %0 dims [0, 1, 2, 4] : tensor<2x3x4x5xf32> -> tensor<2x3x4x2x5x2xf32>
  %2 = prim.reshape %1 : tensor<2x3x4x2x5x2xf32> -> tensor<2x3x8x10xf32>
  return %2 : tensor<2x3x8x10xf32>
}

// Elements that lie apart do not become one dimension, and another order of the other operand stays.
// CHECK-LABEL: func.func @kept(
// CHECK: prim.transpose %arg0
// CHECK: prim.reshape
// CHECK: prim.add
func.func @kept(%x: tensor<2x4x5x3xf32>, %y: tensor<2x3x4x5xf32>) -> (tensor<6x4x5xf32>, tensor<2x3x4x5xf32>) {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x4x5x3xf32> -> tensor<2x3x4x5xf32>
  %1 = prim.reshape %0 : tensor<2x3x4x5xf32> -> tensor<6x4x5xf32>
  %2 = prim.add %0, %y : tensor<2x3x4x5xf32>
  return %1, %2 : tensor<6x4x5xf32>, tensor<2x3x4x5xf32>
}

// A norm of groups of channels splits the channels and merges places; the gradient takes the dimensions apart again.
// CHECK-LABEL: func.func @groups(
// CHECK-NOT: prim.transpose
// CHECK: %[[G:.*]] = prim.reshape %arg0 : tensor<2x4x5x6xf32> -> tensor<2x20x3x2xf32>
// CHECK: %[[S:.*]] = prim.sum %[[G]] dims [1, 3] : tensor<2x20x3x2xf32> -> tensor<2x3xf32>
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %[[S]] dims [0, 2] : tensor<2x3xf32> -> tensor<2x20x3x2xf32>
// CHECK: %[[A:.*]] = prim.sub %[[G]], %[[B]]
// CHECK: prim.reshape %[[A]] : tensor<2x20x3x2xf32> -> tensor<2x4x5x6xf32>
// CHECK-NOT: prim.transpose
// CHECK: return
func.func @groups(%x: tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32> {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x4x5x6xf32> -> tensor<2x6x4x5xf32>
  %1 = prim.reshape %0 : tensor<2x6x4x5xf32> -> tensor<2x3x2x20xf32>
  %2 = prim.sum %1 dims [2, 3] : tensor<2x3x2x20xf32> -> tensor<2x3xf32>
  %3 = prim.broadcast_in_dim %2 dims [0, 1] : tensor<2x3xf32> -> tensor<2x3x2x20xf32>
  %4 = prim.sub %1, %3 : tensor<2x3x2x20xf32>
  %5 = prim.reshape %4 : tensor<2x3x2x20xf32> -> tensor<2x6x4x5xf32>
  %6 = prim.transpose %5 permutation [0, 2, 3, 1] : tensor<2x6x4x5xf32> -> tensor<2x4x5x6xf32>
  return %6 : tensor<2x4x5x6xf32>
}

// Multipliers for each channel belong to the last dimension, wherever elements are repeated; one multiplier belongs to none.
// CHECK-LABEL: func.func @channels(
// CHECK: prim.rescale {{.*}} -> tensor<3x4xi32>
// CHECK: prim.rescale {{.*}} -> tensor<4x3xi32>
func.func @channels(%x: tensor<4x3xi32>, %s: tensor<3xi8>) -> (tensor<3x4xi32>, tensor<3x4xi32>) {
  %0 = prim.transpose %x permutation [1, 0] : tensor<4x3xi32> -> tensor<3x4xi32>
  %1 = prim.broadcast_in_dim %s dims [0] : tensor<3xi8> -> tensor<3x4xi8>
  %2 = prim.rescale %1 {multiplier = array<i32: 1073741824, 536870912, 1073741824, 1073741824>, shift = array<i8: 30, 30, 28, 29>,
      input_zp = 0 : i32, output_zp = 0 : i32, scale32} : tensor<3x4xi8> -> tensor<3x4xi32>
  %3 = prim.add %0, %2 : tensor<3x4xi32>
  %4 = prim.rescale %1 {multiplier = array<i32: 536870912>, shift = array<i8: 30>, input_zp = 0 : i32, output_zp = 0 : i32, scale32}
      : tensor<3x4xi8> -> tensor<3x4xi32>
  %5 = prim.mul %0, %4 : tensor<3x4xi32>
  return %3, %5 : tensor<3x4xi32>, tensor<3x4xi32>
}

// Parts that lie in one order are joined in it, those of several orders are not.
// CHECK-LABEL: func.func @joined(
// CHECK: %[[T:.*]] = prim.transpose %arg0
// CHECK-NEXT: %[[C:.*]] = prim.cat %arg0, %arg1 dim 3 : tensor<2x4x5x3xf32>, tensor<2x4x5x2xf32> -> tensor<2x4x5x5xf32>
// CHECK-NEXT: %[[D:.*]] = prim.cat %[[T]], %arg2 dim 1 : tensor<2x3x4x5xf32>, tensor<2x1x4x5xf32> -> tensor<2x4x4x5xf32>
// CHECK: return %[[C]], %[[D]]
func.func @joined(%x: tensor<2x4x5x3xf32>, %y: tensor<2x4x5x2xf32>, %z: tensor<2x1x4x5xf32>) -> (tensor<2x4x5x5xf32>, tensor<2x4x4x5xf32>) {
  %0 = prim.transpose %x permutation [0, 3, 1, 2] : tensor<2x4x5x3xf32> -> tensor<2x3x4x5xf32>
  %1 = prim.transpose %y permutation [0, 3, 1, 2] : tensor<2x4x5x2xf32> -> tensor<2x2x4x5xf32>
  %2 = prim.cat %0, %1 dim 1 : tensor<2x3x4x5xf32>, tensor<2x2x4x5xf32> -> tensor<2x5x4x5xf32>
  %3 = prim.transpose %2 permutation [0, 2, 3, 1] : tensor<2x5x4x5xf32> -> tensor<2x4x5x5xf32>
  %4 = prim.cat %0, %z dim 1 : tensor<2x3x4x5xf32>, tensor<2x1x4x5xf32> -> tensor<2x4x4x5xf32>
  return %3, %4 : tensor<2x4x5x5xf32>, tensor<2x4x4x5xf32>
}

// Kernels of Fourier transforms write in any order: each writes its part of the transposed concatenation, and nothing is copied.
// CLAIMED-LABEL: function pairs
// CLAIMED: schedule {{.*}}generic.fourier
// CLAIMED-NOT: schedule
func.func @pairs(%x: tensor<64x48xf32>, %y: tensor<64x48xf32>) -> tensor<48x64x2xf32> {
  %0:2 = prim.fourier %x, %y dim 0 : tensor<64x48xf32>, tensor<64x48xf32> -> tensor<64x48xf32>, tensor<64x48xf32>
  %1 = prim.reshape %0#0 : tensor<64x48xf32> -> tensor<64x48x1xf32>
  %2 = prim.reshape %0#1 : tensor<64x48xf32> -> tensor<64x48x1xf32>
  %3 = prim.cat %1, %2 dim 2 : tensor<64x48x1xf32>, tensor<64x48x1xf32> -> tensor<64x48x2xf32>
  %4 = prim.transpose %3 permutation [1, 0, 2] : tensor<64x48x2xf32> -> tensor<48x64x2xf32>
  return %4 : tensor<48x64x2xf32>
}
