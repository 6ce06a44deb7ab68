// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s

// Dimensions merge where every access allows it.
// CHECK-LABEL: tile.kernel private @add_0_add(
// CHECK-SAME: !tile.view<30000xf32> {tile.facts = {readonly}}
// CHECK: tile.load %{{.*}}[%[[I:.*]]] : !tile.view<30000xf32> -> tensor<4096xf32>
// CHECK: arith.addf
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK: program.launch [@add_0_add] grid(%c8, %c1, %c1)
func.func @add(%a: tensor<100x300xf32>, %b: tensor<100x300xf32>) -> tensor<100x300xf32> {
  %r = prim.add %a, %b : tensor<100x300xf32>
  return %r : tensor<100x300xf32>
}

// Padding of memory is the padding of the load.
// CHECK-LABEL: tile.kernel private @pad_0_pad(
// CHECK: tile.load %{{.*}} at [%c-1, %c0] pad %{{.*}} : f32 : !tile.view<4x8xf32> -> tensor<5x10xf32>
func.func @pad(%x: tensor<4x8xf32>) -> tensor<5x10xf32> {
  %r = prim.pad %x low [1, 0] high [0, 2] value 2.5 : f32 : tensor<4x8xf32> -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

// Operands of a cat are written into their part of it.
// CHECK-LABEL: tile.kernel private @cat_0_exp(
// CHECK-SAME: !tile.view<4x8xf32, strides = [11, 1]> {tile.facts = {noalias}}
// CHECK: program.func @cat
// CHECK: program.alloc : memref<4x11xf32>
// CHECK-NOT: program.alloc
// CHECK: program.return
func.func @cat(%x: tensor<4x8xf32>, %y: tensor<4x3xf32>) -> tensor<4x11xf32> {
  %e = prim.exp %x : tensor<4x8xf32>
  %r = prim.cat %e, %y dim 1 : tensor<4x8xf32>, tensor<4x3xf32> -> tensor<4x11xf32>
  return %r : tensor<4x11xf32>
}

// An index that moves along with the place that it reads is not tiled.
// CHECK-LABEL: tile.kernel private @gather_0_gather(
// CHECK: tile.load_gather %{{.*}}[%{{.*}}, %{{.*}}] dim 1 by %{{.*}} : !tile.view<3x100x64xf32>, tensor<7xi32> -> tensor<1x7x64xf32>
func.func @gather(%x: tensor<3x100x64xf32>, %i: tensor<3x7xi32>) -> tensor<3x7x64xf32> {
  %g = prim.gather %x, %i dim 1 batch_dims 1 : tensor<3x100x64xf32>, tensor<3x7xi32> -> tensor<3x7x64xf32>
  return %g : tensor<3x7x64xf32>
}

// What is returned has memory of its own.
// CHECK-LABEL: program.func @same
// CHECK: program.alloc
// CHECK: program.launch [@same_0_copy]
func.func @same(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
