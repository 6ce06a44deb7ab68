// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A claim that computes a size for itself: queries, keys and values are parts of one tensor, whose last size is open.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu},convert-prim-to-tile)' | FileCheck %s
// CHECK-LABEL: program.func @main
// CHECK: %[[SIZE:.*]] = memref.dim %arg0, %c3
// CHECK: program.launch {{.*}}args({{.*}}%[[SIZE]],
// CHECK-NOT: tensor.dim
// RUN: for size in 1 5 64; do \
// RUN:   kiln-run %s --target=cpu --no-fallback --arg=random:1:f32:1x2x24x$size --check || exit 1; done
func.func @main(%x: tensor<1x2x24x?xf32>) -> tensor<1x2x?x8xf32> {
  %r = prim.claim "cpu" "attention"(%x) : (tensor<1x2x24x?xf32>) -> tensor<1x2x?x8xf32> {
  ^bb0(%y: tensor<1x2x24x?xf32>):
    %c3 = arith.constant 3 : index
    %size = tensor.dim %y, %c3 : tensor<1x2x24x?xf32>
    %all = prim.reshape %y sizes(%size) : tensor<1x2x24x?xf32> -> tensor<2x24x?xf32>
    %a = prim.slice %all starts [0, 0, 0] limits [2, 8, -1] strides [1, 1, 1] : tensor<2x24x?xf32> -> tensor<2x8x?xf32>
    %b = prim.slice %all starts [0, 8, 0] limits [2, 16, -1] strides [1, 1, 1] : tensor<2x24x?xf32> -> tensor<2x8x?xf32>
    %c = prim.slice %all starts [0, 16, 0] limits [2, 24, -1] strides [1, 1, 1] : tensor<2x24x?xf32> -> tensor<2x8x?xf32>
    %d = prim.transpose %a permutation [0, 2, 1] : tensor<2x8x?xf32> -> tensor<2x?x8xf32>
    %e = prim.transpose %b permutation [0, 2, 1] : tensor<2x8x?xf32> -> tensor<2x?x8xf32>
    %f = prim.transpose %c permutation [0, 2, 1] : tensor<2x8x?xf32> -> tensor<2x?x8xf32>
    %q = prim.reshape %d sizes(%size) : tensor<2x?x8xf32> -> tensor<1x2x?x8xf32>
    %k = prim.reshape %e sizes(%size) : tensor<2x?x8xf32> -> tensor<1x2x?x8xf32>
    %v = prim.reshape %f sizes(%size) : tensor<2x?x8xf32> -> tensor<1x2x?x8xf32>
    %s = prim.attention %q, %k, %v scale 0.35 : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32> -> tensor<1x2x?x8xf32>
    prim.yield %s : tensor<1x2x?x8xf32>
  }
  return %r : tensor<1x2x?x8xf32>
}
