// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model whose text has channels before positions has them behind in memory, from the first convolution to the last: results
// lie as products compute them, what is computed from them elementwise and poolings lie alike, and nothing is transposed.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK: tile.kernel private @main_0_dot(%{{.*}}: !tile.view<2x36x64xf16, strides = [2304, 1, 36]>
// CHECK: tile.store {{.*}} !tile.view<2x36x64xf16>
// CHECK: tile.kernel private @main_1_max_pool(%{{[^:]*}}: !tile.view<2x5x5x64xf16, strides = [2304, 384, 64, 1]>
// CHECK: tile.store {{.*}} !tile.view<2x6x6x64xf16>
// CHECK: tile.kernel private @main_2_conv(%{{[^:]*}}: !tile.view<72x64xf16> {
// CHECK: tile.store {{.*}} !tile.view<72x64xf16>
// CHECK: tile.kernel private @main_3_dot(%{{[^:]*}}: !tile.view<72x64xf16> {
// CHECK: tile.store {{.*}} !tile.view<72x128xf16>
// CHECK: tile.kernel private @main_4_sum(%{{[^:]*}}: !tile.view<2x36x128xf16> {
func.func @main(%x: tensor<2x64x6x6xf16>, %w1: tensor<64x64x1x1xf16>, %w2: tensor<64x64x3x3xf16>, %w3: tensor<128x64x1x1xf16>, %b1: tensor<64xf16>) -> tensor<2x128xf16> {
  %xt = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x64x6x6xf16> -> tensor<2x6x6x64xf16>
  %w1t = prim.transpose %w1 permutation [0, 2, 3, 1] : tensor<64x64x1x1xf16> -> tensor<64x1x1x64xf16>
  %w2t = prim.transpose %w2 permutation [0, 2, 3, 1] : tensor<64x64x3x3xf16> -> tensor<64x3x3x64xf16>
  %w3t = prim.transpose %w3 permutation [0, 2, 3, 1] : tensor<128x64x1x1xf16> -> tensor<128x1x1x64xf16>
  %c1 = prim.conv %xt, %w1t {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x6x6x64xf16>, tensor<64x1x1x64xf16> -> tensor<2x6x6x64xf16>
  %n1 = prim.transpose %c1 permutation [0, 3, 1, 2] : tensor<2x6x6x64xf16> -> tensor<2x64x6x6xf16>
  %bb = prim.broadcast_in_dim %b1 dims [1] : tensor<64xf16> -> tensor<2x64x6x6xf16>
  %a1 = prim.add %n1, %bb : tensor<2x64x6x6xf16>
  %r1 = prim.relu %a1 : tensor<2x64x6x6xf16>
  %p0 = prim.transpose %r1 permutation [0, 2, 3, 1] : tensor<2x64x6x6xf16> -> tensor<2x6x6x64xf16>
  %p1 = prim.max_pool %p0 {window = array<i64: 3, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<2x6x6x64xf16> -> tensor<2x6x6x64xf16>
  %p2 = prim.transpose %p1 permutation [0, 3, 1, 2] : tensor<2x6x6x64xf16> -> tensor<2x64x6x6xf16>
  %t1 = prim.transpose %p2 permutation [0, 2, 3, 1] : tensor<2x64x6x6xf16> -> tensor<2x6x6x64xf16>
  %c2 = prim.conv %t1, %w2t {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x6x6x64xf16>, tensor<64x3x3x64xf16> -> tensor<2x6x6x64xf16>
  %n2 = prim.transpose %c2 permutation [0, 3, 1, 2] : tensor<2x6x6x64xf16> -> tensor<2x64x6x6xf16>
  %s2 = prim.add %n2, %r1 : tensor<2x64x6x6xf16>
  %r2 = prim.relu %s2 : tensor<2x64x6x6xf16>
  %t2 = prim.transpose %r2 permutation [0, 2, 3, 1] : tensor<2x64x6x6xf16> -> tensor<2x6x6x64xf16>
  %c3 = prim.conv %t2, %w3t {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x6x6x64xf16>, tensor<128x1x1x64xf16> -> tensor<2x6x6x128xf16>
  %n3 = prim.transpose %c3 permutation [0, 3, 1, 2] : tensor<2x6x6x128xf16> -> tensor<2x128x6x6xf16>
  %r3 = prim.relu %n3 : tensor<2x128x6x6xf16>
  %g = prim.sum %r3 dims [2, 3] : tensor<2x128x6x6xf16> -> tensor<2x128xf16>
  return %g : tensor<2x128xf16>
}
