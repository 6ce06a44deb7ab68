// On cores of many threads blocks are powers of two and as wide as lines of memory, loops over what is reduced carry
// tiles, and where few instances would have much to reduce several share it out.
// RUN: kiln-compile %s --load-target=%S/Inputs/threaded.mlir --target=threaded --emit=program | FileCheck %s
// This target has no code generator, so the host runs what it chooses:
// RUN: unset KILN_NO_FALLBACK
// RUN: for entry in columns all rows halves mean middle any odd down transposed nchw largest; do \
// RUN:   kiln-run %s --load-target=%S/Inputs/threaded.mlir --target=threaded --check --entry=$entry || exit 1; done
// RUN: for entry in dynamic dynamic_all; do \
// RUN:   kiln-run %s --load-target=%S/Inputs/threaded.mlir --target=threaded --check --entry=$entry --dim=1000 || exit 1; done

// CHECK-LABEL: tile.kernel private @columns_0_sum(
// CHECK-SAME: tiling = "reduction 4096x1024x?<=1024 holds 0.1:32,1:32 -> 32x64x[[PARTS:[0-9]+]]"
// CHECK: scf.for %{{.*}} = %[[PART:.*]] to %{{.*}} step
// CHECK-NOT: tile.reduce
// CHECK: arith.addf %{{.*}} : tensor<32x64xf32>
// CHECK: }
// CHECK: tile.reduce %{{.*}} axis 0 : tensor<32x64xf32> -> tensor<64xf32>
// CHECK: tile.store
// CHECK-LABEL: tile.kernel private @columns_0_sum_parts(
// CHECK: tile.load %{{.*}} : !tile.view<1024x[[PARTS]]xf32> -> tensor<32x[[PARTS]]xf32>
// CHECK: tile.reduce %{{.*}} axis 1
// CHECK: tile.store
func.func @columns(%x: tensor<4096x1024xf32>) -> tensor<1024xf32> {
  %r = prim.sum %x dims [0] : tensor<4096x1024xf32> -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// CHECK-LABEL: tile.kernel private @all_0_sum(
// CHECK: tile.kernel private @all_0_sum_parts(
func.func @all(%x: tensor<2048x1024xf32>) -> tensor<f32> {
  %r = prim.sum %x dims [0, 1] : tensor<2048x1024xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// Enough rows for all: one kernel.
// CHECK-LABEL: tile.kernel private @rows_0_sum(
// CHECK: scf.for
// CHECK-NOT: tile.reduce
// CHECK: arith.addf %{{.*}} : tensor<4096xf32>
// CHECK: }
// CHECK: tile.reduce
// CHECK-NOT: @rows_0_sum_parts
func.func @rows(%x: tensor<2048x10000xf32>) -> tensor<2048xf32> {
  %r = prim.sum %x dims [1] : tensor<2048x10000xf32> -> tensor<2048xf32>
  return %r : tensor<2048xf32>
}

// Parts are kept in the type that sums are computed in; what follows the sum is in the second kernel.
// CHECK-LABEL: tile.kernel private @halves_0_
// CHECK-SAME: !tile.view<{{[0-9]+}}x256xf32, strides = [1, {{[0-9]+}}]> {tile.facts = {noalias}}
// CHECK-LABEL: tile.kernel private @halves_0_{{.*}}_parts(
// CHECK: tile.reduce
// CHECK: arith.truncf
// CHECK: arith.mulf %{{.*}}bf16
func.func @halves(%x: tensor<20000x256xbf16>, %y: tensor<256xbf16>) -> tensor<256xbf16> {
  %s = prim.sum %x dims [0] : tensor<20000x256xbf16> -> tensor<256xbf16>
  %r = prim.mul %s, %y : tensor<256xbf16>
  return %r : tensor<256xbf16>
}
func.func @mean(%x: tensor<16x70000xf32>) -> tensor<16xf32> {
  %c = prim.full 1.0e-3 : f32 : tensor<16xf32>
  %e = prim.exp %x : tensor<16x70000xf32>
  %s = prim.sum %e dims [1] : tensor<16x70000xf32> -> tensor<16xf32>
  %r = prim.mul %s, %c : tensor<16xf32>
  return %r : tensor<16xf32>
}
func.func @middle(%x: tensor<64x10x4000xf32>) -> tensor<10xf32> {
  %r = prim.amax %x dims [0, 2] : tensor<64x10x4000xf32> -> tensor<10xf32>
  return %r : tensor<10xf32>
}
func.func @any(%x: tensor<1000x300xi1>) -> tensor<300xi1> {
  %r = prim.amax %x dims [0] : tensor<1000x300xi1> -> tensor<300xi1>
  return %r : tensor<300xi1>
}
func.func @odd(%x: tensor<3001x77xi32>) -> tensor<77xi32> {
  %r = prim.prod %x dims [0] : tensor<3001x77xi32> -> tensor<77xi32>
  return %r : tensor<77xi32>
}

// Columns of which something of their length is written are read once, if they are short enough; narrower ones are,
// down to half a line.
// CHECK-LABEL: tile.kernel private @down_0_softmax(
// CHECK-NOT: scf.for
// CHECK: tile.load %{{.*}} -> tensor<1024x16xf32>
// CHECK-NOT: tile.load
// CHECK: tile.store
func.func @down(%x: tensor<1000x4096xf32>) -> tensor<1000x4096xf32> {
  %r = prim.softmax %x dim 0 : tensor<1000x4096xf32>
  return %r : tensor<1000x4096xf32>
}

// Both sides of a transposition have whole lines.
// CHECK-LABEL: tile.kernel private @transposed_0_transpose(
// CHECK-SAME: tiling = "elementwise 1000x2000 holds 0.1@0:16,0.1:16 -> 64x128"
func.func @transposed(%x: tensor<2000x1000xbf16>) -> tensor<1000x2000xbf16> {
  %r = prim.transpose %x permutation [1, 0] : tensor<2000x1000xbf16> -> tensor<1000x2000xbf16>
  return %r : tensor<1000x2000xbf16>
}
// CHECK-LABEL: tile.kernel private @nchw_0_transpose(
// CHECK: tile.load %{{.*}} -> tensor<32x128xf32>
func.func @nchw(%x: tensor<4x14x14x96xf32>) -> tensor<4x96x14x14xf32> {
  %r = prim.transpose %x permutation [0, 3, 1, 2] : tensor<4x14x14x96xf32> -> tensor<4x96x14x14xf32>
  return %r : tensor<4x96x14x14xf32>
}

// Of equal ones the first counts, in whatever order tiles are gone through.
// CHECK-LABEL: tile.kernel private @largest_0_argmax(
// CHECK: scf.for
// CHECK-NOT: tile.reduce
// CHECK: }
// CHECK: tile.reduce
func.func @largest(%x: tensor<300x2000xi8>) -> tensor<2000xi32> {
  %r = prim.argmax %x dim 0 : tensor<300x2000xi8> -> tensor<2000xi32>
  return %r : tensor<2000xi32>
}
// CHECK-LABEL: tile.kernel private @dynamic_0_sum_parts(
func.func @dynamic(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %r = prim.sum %x dims [0] : tensor<?x64xf32> -> tensor<64xf32>
  return %r : tensor<64xf32>
}
// CHECK-LABEL: tile.kernel private @dynamic_all_0_sum_parts(
func.func @dynamic_all(%x: tensor<?xf32>) -> tensor<f32> {
  %r = prim.sum %x dims [0] : tensor<?xf32> -> tensor<f32>
  return %r : tensor<f32>
}
