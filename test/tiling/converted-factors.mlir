// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unit that reads factors from the memory of a block waits for threads that convert them. Where every element is multiplied
// often, a kernel of its own converts each factor once, ahead of the product.
// RUN: kiln-opt %s --load-target=%S/Inputs/readers.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=readers},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// A unit that reads registers takes them as threads have converted them.
// RUN: kiln-opt %s --load-target=%S/Inputs/threads.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=threads},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: _factor

// The copy lies as what it is converted from.
// CHECK-LABEL: tile.kernel private @weights_0_dot_factor0(
// CHECK-SAME: !tile.view<2097152xi8> {{.*}}, %{{.*}}: !tile.view<2097152xbf16>
// CHECK: arith.sitofp
// CHECK: tile.store
// CHECK-LABEL: tile.kernel private @weights_0_dot(
// CHECK-SAME: !tile.view<2048x1024xbf16>
// CHECK-SAME: !tile.view<1024x2048xbf16, strides = [1, 1024]>
// CHECK-NOT: arith.sitofp
// CHECK: tile.dot
func.func @weights(%x: tensor<2048x1024xbf16>, %w: tensor<2048x1024xi8>) -> tensor<2048x2048xbf16> {
  %c = prim.convert_element_type %w : tensor<2048x1024xi8> -> tensor<2048x1024xbf16>
  %t = prim.transpose %c permutation [1, 0] : tensor<2048x1024xbf16> -> tensor<1024x2048xbf16>
  %d = prim.dot_general %x, %t batch [] x [] contract [1] x [0] : tensor<2048x1024xbf16>, tensor<1024x2048xbf16> -> tensor<2048x2048xbf16>
  return %d : tensor<2048x2048xbf16>
}

// The same through a transposition before the conversion; both factors.
// CHECK-LABEL: tile.kernel private @both_0_dot_factor0(
// CHECK-SAME: !tile.view<2097152xf32> {{.*}}, %{{.*}}: !tile.view<2097152xbf16>
// CHECK-LABEL: tile.kernel private @both_0_dot_factor1(
// CHECK-SAME: !tile.view<1024x2048xi8, strides = [1, 1024]> {{.*}}, %{{.*}}: !tile.view<1024x2048xbf16, strides = [1, 1024]>
// CHECK-LABEL: tile.kernel private @both_0_dot(
// CHECK-NOT: arith.truncf %{{.*}} : tensor<{{.*}}xf32> to tensor<{{.*}}xbf16>
// CHECK: tile.dot
func.func @both(%x: tensor<2048x1024xf32>, %w: tensor<2048x1024xi8>) -> tensor<2048x2048xf32> {
  %a = prim.convert_element_type %x : tensor<2048x1024xf32> -> tensor<2048x1024xbf16>
  %t = prim.transpose %w permutation [1, 0] : tensor<2048x1024xi8> -> tensor<1024x2048xi8>
  %c = prim.convert_element_type %t : tensor<1024x2048xi8> -> tensor<1024x2048xbf16>
  %d = prim.dot_general %a, %c batch [] x [] contract [1] x [0] : tensor<2048x1024xbf16>, tensor<1024x2048xbf16> -> tensor<2048x2048xf32>
  return %d : tensor<2048x2048xf32>
}

// Few rows multiply each weight less often than it takes to read it.
// CHECK-LABEL: tile.kernel private @few_0_dot(
// CHECK: arith.sitofp
// CHECK: tile.dot
// CHECK-NOT: _factor
func.func @few(%x: tensor<64x4096xbf16>, %w: tensor<4096x4096xi8>) -> tensor<64x4096xbf16> {
  %c = prim.convert_element_type %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %d = prim.dot_general %x, %c batch [] x [] contract [1] x [1] : tensor<64x4096xbf16>, tensor<4096x4096xbf16> -> tensor<64x4096xbf16>
  return %d : tensor<64x4096xbf16>
}
