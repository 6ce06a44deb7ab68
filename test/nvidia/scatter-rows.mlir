// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of floats of 16 and 32 bits are added as rows, of which a thread adds neighbours by one operation: up to eight of 16 bits, and four of
// 32 bits, as far as the number of elements in a row allows. The kernel computes what it adds, gathered rows among it. Chips without such an
// operation for f32 add each alone.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: kiln-compile %s --entry=single --target=nvidia:sm_80,ptxas=none --no-fallback --emit=asm | FileCheck %s --check-prefix=OLDER
// RUN: for entry in rows messages; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics --emit=asm \
// RUN:   -o %t.ptx 2>&1 | grep ' 0 changed' || exit 1; done
// RUN: for entry in rows pairs even single half_rows matrices messages apart; do \
// RUN:   kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done

// CHECK-LABEL: tile.kernel private @rows_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}}[%c0] dim 0 by %{{.*}} combine add : tensor<[[N:[0-9]+]]x8xbf16>, !tile.view<300x8xbf16>, tensor<[[N]]xi32>
// PTX-LABEL: .entry rows_{{.*}}scatter(
// PTX: red.relaxed.gpu.global.add.noftz.v4.bf16x2
// PTX-NOT: red.
func.func @rows(%x: tensor<300x8xbf16>, %t: tensor<1001x1xi64>, %u: tensor<1001x1x8xbf16>) -> tensor<300x8xbf16> {
  %c = prim.constant dense<511> : tensor<1001x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1001x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<300x8xbf16>, tensor<1001x1xi64>, tensor<1001x1x8xbf16>
  return %r : tensor<300x8xbf16>
}
// CHECK-LABEL: tile.kernel private @pairs_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}}[%c0] dim 0 by %{{.*}} combine add : tensor<{{[0-9]+}}x2xf16>
// PTX-LABEL: .entry pairs_{{.*}}scatter(
// PTX: red.relaxed.gpu.global.add.noftz.f16x2
func.func @pairs(%x: tensor<300x2xf16>, %t: tensor<1001x1xi64>, %u: tensor<1001x1x2xf16>) -> tensor<300x2xf16> {
  %c = prim.constant dense<511> : tensor<1001x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1001x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<300x2xf16>, tensor<1001x1xi64>, tensor<1001x1x2xf16>
  return %r : tensor<300x2xf16>
}
// Tiles are wider than rows of six: what is behind their end is in no row.
// CHECK-LABEL: tile.kernel private @even_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}}[%c0] dim 0 by {{.*}} combine add : tensor<{{[0-9]+}}x8xf16>, !tile.view<300x6xf16>
// PTX-LABEL: .entry even_{{.*}}scatter(
// PTX: red.relaxed.gpu.global.add.noftz.f16x2
func.func @even(%x: tensor<300x6xf16>, %t: tensor<1001x1xi64>, %u: tensor<1001x1x6xf16>) -> tensor<300x6xf16> {
  %c = prim.constant dense<511> : tensor<1001x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1001x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<300x6xf16>, tensor<1001x1xi64>, tensor<1001x1x6xf16>
  return %r : tensor<300x6xf16>
}
// CHECK-LABEL: tile.kernel private @single_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}} combine add : tensor<{{[0-9]+}}x{{[0-9]+}}xf32>, !tile.view<300x100xf32>
// PTX-LABEL: .entry single_{{.*}}scatter(
// PTX: red.relaxed.gpu.global.add.v4.f32
// PTX-NOT: atom.
// PTX: .entry
// OLDER-NOT: red.relaxed
// OLDER: atom.global.add.f32
func.func @single(%x: tensor<300x100xf32>, %i: tensor<1001x1xi32>, %u: tensor<1001x1x100xf32>) -> tensor<300x100xf32> {
  %c = prim.constant dense<511> : tensor<1001x1xi32>
  %j = prim.bitwise_and %i, %c : tensor<1001x1xi32>
  %r = prim.scatter add %x, %j, %u dims [0] batch_dims 0 : tensor<300x100xf32>, tensor<1001x1xi32>, tensor<1001x1x100xf32>
  return %r : tensor<300x100xf32>
}
// Rows of a dimension that is matched, at places along the second one.
// CHECK-LABEL: tile.kernel private @half_rows_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}}[%c0] dim 0 by {{.*}} combine add : tensor<{{[0-9x]+}}x16xf16>, !tile.view<90x16xf16>
func.func @half_rows(%x: tensor<3x30x16xf16>, %t: tensor<3x200x1xi64>, %u: tensor<3x200x1x16xf16>) -> tensor<3x30x16xf16> {
  %c = prim.constant dense<31> : tensor<3x200x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<3x200x1xi64>
  %r = prim.scatter add %x, %i, %u dims [1] batch_dims 1 : tensor<3x30x16xf16>, tensor<3x200x1xi64>, tensor<3x200x1x16xf16>
  return %r : tensor<3x30x16xf16>
}
// What an index names has two dimensions, which follow each other in memory.
// CHECK-LABEL: tile.kernel private @matrices_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}} combine add : tensor<{{[0-9]+}}x32xf32>, !tile.view<50x24xf32>
func.func @matrices(%x: tensor<50x4x6xf32>, %t: tensor<3000x1xi64>, %u: tensor<3000x1x4x6xf32>) -> tensor<50x4x6xf32> {
  %c = prim.constant dense<63> : tensor<3000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<3000x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<50x4x6xf32>, tensor<3000x1xi64>, tensor<3000x1x4x6xf32>
  return %r : tensor<50x4x6xf32>
}
// CHECK-LABEL: tile.kernel private @messages_{{.*}}scatter(
// CHECK: tile.load_gather {{.*}} : !tile.view<200x32xf32>, tensor<[[M:[0-9]+]]xi64> -> tensor<[[M]]x32xf32>
// CHECK: arith.mulf
// CHECK: tile.store_scatter {{.*}} combine add : tensor<[[M]]x32xf32>, !tile.view<300x32xf32>
// CHECK-NOT: tile.kernel private @messages_1
// PTX-LABEL: .entry messages_{{.*}}scatter(
// PTX: ld.global.v4.b32
// PTX: red.relaxed.gpu.global.add.v4.f32
func.func @messages(%x: tensor<200x32xf32>, %s: tensor<1500xi64>, %d: tensor<1500xi64>, %w: tensor<1500x1xf32>) -> tensor<300x32xf32> {
  %c = prim.constant dense<127> : tensor<1500xi64>
  %from = prim.bitwise_and %s, %c : tensor<1500xi64>
  %to = prim.bitwise_and %d, %c : tensor<1500xi64>
  %z = prim.full 0.0 : f32 : tensor<300x32xf32>
  %g = prim.gather %x, %from dim 0 batch_dims 0 : tensor<200x32xf32>, tensor<1500xi64> -> tensor<1500x32xf32>
  %b = prim.broadcast_in_dim %w dims [0, 1] : tensor<1500x1xf32> -> tensor<1500x32xf32>
  %m = prim.mul %g, %b : tensor<1500x32xf32>
  %p = prim.reshape %to : tensor<1500xi64> -> tensor<1500x1xi64>
  %u = prim.reshape %m : tensor<1500x32xf32> -> tensor<1500x1x32xf32>
  %r = prim.scatter add %z, %p, %u dims [0] batch_dims 0 : tensor<300x32xf32>, tensor<1500x1xi64>, tensor<1500x1x32xf32>
  return %r : tensor<300x32xf32>
}
// The tensor that is gathered from is the one that is added to: sums may not be read.
func.func @apart(%x: tensor<200x32xf32> {kiln.argument = {donated}}, %s: tensor<1500xi64>, %d: tensor<1500xi64>) -> tensor<200x32xf32> {
  %c = prim.constant dense<127> : tensor<1500xi64>
  %from = prim.bitwise_and %s, %c : tensor<1500xi64>
  %to = prim.bitwise_and %d, %c : tensor<1500xi64>
  %g = prim.gather %x, %from dim 0 batch_dims 0 : tensor<200x32xf32>, tensor<1500xi64> -> tensor<1500x32xf32>
  %p = prim.reshape %to : tensor<1500xi64> -> tensor<1500x1xi64>
  %u = prim.reshape %g : tensor<1500x32xf32> -> tensor<1500x1x32xf32>
  %r = prim.scatter add %x, %p, %u dims [0] batch_dims 0 : tensor<200x32xf32>, tensor<1500x1xi64>, tensor<1500x1x32xf32>
  return %r : tensor<200x32xf32>
}
