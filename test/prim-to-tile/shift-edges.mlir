// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last blocks of a matmul begin earlier instead of reaching beyond its operands: two instances compute some elements, alike.
// Where the epilogue reads a tensor of the result's shape, whose memory the result may take, no element is computed twice.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,blocks=64x64x32,shift_edges=on"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,blocks=64x64x32"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=OFF
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,blocks=64x64x32x2,shift_edges=on"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=PARTS
// RUN: for blocks in 64x64x32 64x64x32x2; do for entry in plain residual whole; do \
// RUN:   kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none,blocks=$blocks,shift_edges=on --no-fallback --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed
// OFF-NOT: arith.minsi

// CHECK-LABEL: tile.kernel private @plain_0_dot(
// CHECK-DAG: %[[ROW:.*]] = arith.minsi %{{.*}}, %c36
// CHECK-DAG: %[[COLUMN:.*]] = arith.minsi %{{.*}}, %c40
// CHECK: tile.load {{.*}} at [%[[ROW]], {{.*}} -> tensor<64x32xbf16>
// CHECK: tile.load {{.*}} at [{{.*}}, %[[COLUMN]]] {{.*}} -> tensor<32x64xbf16>
// CHECK: tile.store {{.*}} at [%[[ROW]], %[[COLUMN]]]
// PARTS-LABEL: tile.kernel private @plain_0_dot(
// PARTS: arith.minsi {{.*}}%c36
// PARTS-LABEL: tile.kernel private @plain_0_dot_parts(
// PARTS-NOT: arith.minsi
// PARTS: tile.store
func.func @plain(%a: tensor<100x320xbf16>, %b: tensor<320x104xbf16>, %bias: tensor<104xbf16>) -> tensor<100x104xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x320xbf16>, tensor<320x104xbf16> -> tensor<100x104xbf16>
  %c = prim.broadcast_in_dim %bias dims [1] : tensor<104xbf16> -> tensor<100x104xbf16>
  %r = prim.add %d, %c : tensor<100x104xbf16>
  return %r : tensor<100x104xbf16>
}

// CHECK-LABEL: tile.kernel private @residual_0_dot(
// CHECK-NOT: arith.minsi
// CHECK-LABEL: program.func @residual
func.func @residual(%a: tensor<100x320xbf16>, %b: tensor<320x104xbf16>, %z: tensor<100x104xbf16>) -> tensor<100x104xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x320xbf16>, tensor<320x104xbf16> -> tensor<100x104xbf16>
  %r = prim.add %d, %z : tensor<100x104xbf16>
  return %r : tensor<100x104xbf16>
}

// CHECK-LABEL: tile.kernel private @whole_0_dot(
// CHECK-NOT: arith.minsi
// CHECK-LABEL: program.func @whole
func.func @whole(%a: tensor<128x320xbf16>, %b: tensor<320x64xbf16>) -> tensor<128x64xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<128x320xbf16>, tensor<320x64xbf16> -> tensor<128x64xbf16>
  return %r : tensor<128x64xbf16>
}
