// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attention whose keys are joined from two open lengths: a group that a target claims computes their sum, which is a number and no work.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu},convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --arg=random:1:f32:1x4x3x16 --arg=random:2:f32:1x4x5x16 --arg=random:3:f32:1x4x8x16 --arg=random:4:f32:1x4x8x16 | FileCheck %s --check-prefix=RIGHT
// CHECK: program.func @joined
// RIGHT: result{{.*}}: ok
func.func @joined(%a: tensor<1x4x?x16xf32>, %b: tensor<1x4x?x16xf32>, %v: tensor<1x4x?x16xf32>, %q: tensor<1x4x?x16xf32>) -> tensor<1x4x?x16xf32> {
  %0 = prim.claim "cpu" "attention"(%a, %b, %v, %q) : (tensor<1x4x?x16xf32>, tensor<1x4x?x16xf32>, tensor<1x4x?x16xf32>, tensor<1x4x?x16xf32>) -> tensor<1x4x?x16xf32> {
  ^bb0(%x: tensor<1x4x?x16xf32>, %y: tensor<1x4x?x16xf32>, %w: tensor<1x4x?x16xf32>, %p: tensor<1x4x?x16xf32>):
    %c2 = arith.constant 2 : index
    %m = tensor.dim %x, %c2 : tensor<1x4x?x16xf32>
    %n = tensor.dim %y, %c2 : tensor<1x4x?x16xf32>
    %s = arith.addi %m, %n : index
    %f = prim.reshape %x sizes(%m) : tensor<1x4x?x16xf32> -> tensor<4x?x16xf32>
    %g = prim.reshape %y sizes(%n) : tensor<1x4x?x16xf32> -> tensor<4x?x16xf32>
    %j = prim.cat %f, %g dim 1 : tensor<4x?x16xf32>, tensor<4x?x16xf32> -> tensor<4x?x16xf32>
    %k = prim.reshape %j sizes(%s) : tensor<4x?x16xf32> -> tensor<1x4x?x16xf32>
    %r = prim.attention %p, %k, %w scale 2.5e-01 : tensor<1x4x?x16xf32>, tensor<1x4x?x16xf32>, tensor<1x4x?x16xf32> -> tensor<1x4x?x16xf32>
    prim.yield %r : tensor<1x4x?x16xf32>
  }
  return %0 : tensor<1x4x?x16xf32>
}
