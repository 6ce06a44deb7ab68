// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short rows of floats of 16 bits are added as rows, of which a thread adds up to eight neighbours by one operation; rows that a thread
// does not have as a whole stay single elements.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: kiln-compile %s --entry=rows --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics --emit=asm -o %t.ptx 2>&1 | grep ' 0 changed'
// RUN: for entry in rows pairs odd; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done

// CHECK-LABEL: tile.kernel private @rows_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}}[%c0] dim 0 by %{{.*}} combine add : tensor<[[N:[0-9]+]]x8xbf16>, !tile.view<300x8xbf16>, tensor<[[N]]xi64>
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
// CHECK-LABEL: tile.kernel private @odd_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}}[] dim 0 by
func.func @odd(%x: tensor<300x6xf16>, %t: tensor<1001x1xi64>, %u: tensor<1001x1x6xf16>) -> tensor<300x6xf16> {
  %c = prim.constant dense<511> : tensor<1001x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1001x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<300x6xf16>, tensor<1001x1xi64>, tensor<1001x1x6xf16>
  return %r : tensor<300x6xf16>
}
