// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of products that no matrix instruction computes: large ones read few elements for each multiply-add, and of small products every core
// has two instances. Edges and layouts of the factors change nothing.
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=tile -o - | FileCheck %s
// CHECK-LABEL: tile.kernel {{.*}}@large
// CHECK-SAME: -> 128x128x32"
// CHECK-LABEL: tile.kernel {{.*}}@turned
// CHECK-SAME: -> 128x128x32"
// CHECK-LABEL: tile.kernel {{.*}}@small
// CHECK-SAME: -> 64x64x64"
// CHECK-LABEL: tile.kernel {{.*}}@flat
// CHECK-SAME: -> 64x64x64"
func.func @large(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x4096xf32>, tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

func.func @turned(%a: tensor<4096x4095xf32>, %b: tensor<4095x4096xf32>) -> tensor<4095x4095xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [0] x [1] : tensor<4096x4095xf32>, tensor<4095x4096xf32> -> tensor<4095x4095xf32>
  return %0 : tensor<4095x4095xf32>
}

func.func @small(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

func.func @flat(%a: tensor<512x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<512x2048xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<512x2048xf32>, tensor<2048x2048xf32> -> tensor<512x2048xf32>
  return %0 : tensor<512x2048xf32>
}
