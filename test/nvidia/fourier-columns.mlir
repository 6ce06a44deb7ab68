// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a warp that are neighbours transform neighbouring columns: each access of a warp is of whole parts of rows, not of 32 rows. Real
// and imaginary parts change places together, so that an exchange has half as many barriers.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile > %t.mlir
// RUN: kiln-opt %t.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' \
// RUN:   --mlir-print-local-scope | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=TILE

// CHECK: tile.load %arg0{{.*}} -> tensor<64x16x2xf32, #simt.layout<rank = 3, register = {{\[\[}}0, 0, 1], [32, 0, 0]],
// CHECK-SAME: lane = {{\[\[}}0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0], [1, 0, 0]],
// CHECK: tile.store {{.*}}tensor<64x16x2xf32, #simt.layout<rank = 3, {{.*}} lane = {{\[\[}}0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0],

// A thread has 16 elements, and both exchanges move whole pairs.
// TILE: tile.hints = #tile.kernel_hints<warps = 16>
// TILE: tile.transpose {{.*}} [1, 4, 2, 3, 0, 5] : tensor<8x8x1x16x8x2xf32> -> tensor<8x8x1x16x8x2xf32>
// TILE: tile.transpose {{.*}} [1, 4, 2, 3, 0, 5] : tensor<8x1x8x16x8x2xf32> -> tensor<1x8x8x16x8x2xf32>
// TILE-NOT: tile.transpose
func.func @columns(%x: tensor<512x4096x2xf32>) -> tensor<512x4096x2xf32> {
  %0 = prim.slice %x starts [0, 0, 0] limits [512, 4096, 1] strides [1, 1, 1] : tensor<512x4096x2xf32> -> tensor<512x4096x1xf32>
  %1 = prim.reshape %0 : tensor<512x4096x1xf32> -> tensor<512x4096xf32>
  %2 = prim.slice %x starts [0, 0, 1] limits [512, 4096, 2] strides [1, 1, 1] : tensor<512x4096x2xf32> -> tensor<512x4096x1xf32>
  %3 = prim.reshape %2 : tensor<512x4096x1xf32> -> tensor<512x4096xf32>
  %r, %i = prim.fourier %1, %3 dim 0 : tensor<512x4096xf32>, tensor<512x4096xf32> -> tensor<512x4096xf32>, tensor<512x4096xf32>
  %4 = prim.reshape %r : tensor<512x4096xf32> -> tensor<512x4096x1xf32>
  %5 = prim.reshape %i : tensor<512x4096xf32> -> tensor<512x4096x1xf32>
  %6 = prim.cat %4, %5 dim 2 : tensor<512x4096x1xf32>, tensor<512x4096x1xf32> -> tensor<512x4096x2xf32>
  return %6 : tensor<512x4096x2xf32>
}
