// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for groups of channels are repeated for each channel before they are repeated for all places: what computes with them has no
// dimensions of groups, if these were there for the numbers alone.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-simplify))' | FileCheck %s
// RUN: for entry in scaled both statistics; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: func.func @scaled(
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg1 dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x3xf32>
// CHECK: %[[C:.*]] = prim.reshape %[[B]] : tensor<2x4x3xf32> -> tensor<2x12xf32>
// CHECK: %[[D:.*]] = prim.broadcast_in_dim %[[C]] dims [0, 1] : tensor<2x12xf32> -> tensor<2x12x8x8xf32>
// CHECK: prim.mul {{.*}}, %[[D]] : tensor<2x12x8x8xf32>
// CHECK-NOT: prim.reshape
// CHECK: return
func.func @scaled(%x: tensor<2x12x8x8xf16>, %c: tensor<2x4xf32>) -> tensor<2x12x8x8xf16> {
  %0 = prim.convert_element_type %x : tensor<2x12x8x8xf16> -> tensor<2x12x8x8xf32>
  %1 = prim.reshape %0 : tensor<2x12x8x8xf32> -> tensor<2x4x3x64xf32>
  %2 = prim.broadcast_in_dim %c dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x3x64xf32>
  %3 = prim.mul %1, %2 : tensor<2x4x3x64xf32>
  %4 = prim.reshape %3 : tensor<2x4x3x64xf32> -> tensor<2x12x8x8xf32>
  %5 = prim.convert_element_type %4 : tensor<2x12x8x8xf32> -> tensor<2x12x8x8xf16>
  return %5 : tensor<2x12x8x8xf16>
}

// Two tensors, as the gradient of a norm has them.
// CHECK-LABEL: func.func @both(
// CHECK-NOT: x4x3x64x
// CHECK: return
func.func @both(%x: tensor<2x12x8x8xf32>, %y: tensor<2x12x8x8xf32>, %c: tensor<2x4x1x1xf32>, %d: tensor<2x12xf32>) -> tensor<2x12x8x8xf32> {
  %0 = prim.reshape %x : tensor<2x12x8x8xf32> -> tensor<2x4x3x64xf32>
  %1 = prim.broadcast_in_dim %c dims [0, 1, 2, 3] : tensor<2x4x1x1xf32> -> tensor<2x4x3x64xf32>
  %2 = prim.mul %0, %1 : tensor<2x4x3x64xf32>
  %3 = prim.reshape %y : tensor<2x12x8x8xf32> -> tensor<2x4x3x64xf32>
  %4 = prim.reshape %d : tensor<2x12xf32> -> tensor<2x4x3xf32>
  %5 = prim.broadcast_in_dim %4 dims [0, 1, 2] : tensor<2x4x3xf32> -> tensor<2x4x3x64xf32>
  %6 = prim.mul %3, %5 : tensor<2x4x3x64xf32>
  %7 = prim.add %2, %6 : tensor<2x4x3x64xf32>
  %8 = prim.add %7, %1 : tensor<2x4x3x64xf32>
  %9 = prim.reshape %8 : tensor<2x4x3x64xf32> -> tensor<2x12x8x8xf32>
  return %9 : tensor<2x12x8x8xf32>
}

// A variance reduces the elements of groups, whose distances from the mean stay as they are.
// CHECK-LABEL: func.func @statistics(
// CHECK: %[[M:.*]] = prim.broadcast_in_dim {{.*}} dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x3x64xf32>
// CHECK: prim.sub {{.*}}, %[[M]] : tensor<2x4x3x64xf32>
func.func @statistics(%x: tensor<2x12x8x8xf32>) -> tensor<2x4xf32> {
  %0 = prim.reshape %x : tensor<2x12x8x8xf32> -> tensor<2x4x3x64xf32>
  %1 = prim.sum %0 dims [2, 3] : tensor<2x4x3x64xf32> -> tensor<2x4xf32>
  %2 = prim.broadcast_in_dim %1 dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x3x64xf32>
  %3 = prim.sub %0, %2 : tensor<2x4x3x64xf32>
  %4 = prim.mul %3, %3 : tensor<2x4x3x64xf32>
  %5 = prim.sum %4 dims [2, 3] : tensor<2x4x3x64xf32> -> tensor<2x4xf32>
  return %5 : tensor<2x4xf32>
}
