// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates that may meet, on a machine of many cores, where sums keep their order: each instance has a range of the rows and a block of
// the columns. It goes through all places, several at once, and does the updates of its range in their order, so that sums are the same in each run.
// RUN: kiln-compile %s --entry=rows --target=nvidia:sm_90a,ptxas=none,scatter=ordered --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --entry=few --target=nvidia:sm_90a,ptxas=none,scatter=ordered --no-fallback --emit=program | FileCheck %s --check-prefix=FEW
// RUN: for entry in rows odd; do kiln-run %s --entry=$entry --target=amd:gfx942,device=sim,scatter=ordered --check || exit 1; done

// CHECK-LABEL: tile.kernel private @rows_
// CHECK: scf.for {{.*}} step %c8
// CHECK-COUNT-8: arith.cmpi ult
// CHECK-COUNT-8: scf.if
// CHECK-NOT: scf.if
// CHECK: program.launch {{.*}} grid(%c64, %c1, %c1)
func.func @rows(%x: tensor<64x96xbf16>, %t: tensor<512x1xi64>, %u: tensor<512x1x96xbf16>) -> tensor<64x96xbf16> {
  %limit = prim.full 64 : i64 : tensor<512x1xi64>
  %i = prim.remainder %t, %limit : tensor<512x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<64x96xbf16>, tensor<512x1xi64>, tensor<512x1x96xbf16>
  return %r : tensor<64x96xbf16>
}

// A number of places that is no multiple of those read at once.
func.func @odd(%x: tensor<7x5xf32>, %t: tensor<259x1xi64>, %u: tensor<259x1x5xf32>) -> tensor<7x5xf32> {
  %limit = prim.full 7 : i64 : tensor<259x1xi64>
  %i = prim.remainder %t, %limit : tensor<259x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<7x5xf32>, tensor<259x1xi64>, tensor<259x1x5xf32>
  return %r : tensor<7x5xf32>
}

// Few places are not worth it.
// FEW-LABEL: tile.kernel private @few_
// FEW-NOT: scf.if
// FEW: program.launch {{.*}} grid(%c1, %c1, %c1)
func.func @few(%x: tensor<64x96xbf16>, %t: tensor<16x1xi64>, %u: tensor<16x1x96xbf16>) -> tensor<64x96xbf16> {
  %r = prim.scatter add %x, %t, %u dims [0] batch_dims 0 : tensor<64x96xbf16>, tensor<16x1xi64>, tensor<16x1x96xbf16>
  return %r : tensor<64x96xbf16>
}
