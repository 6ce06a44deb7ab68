// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=rows
// RUN: kiln-run %s --target=cpu --check --entry=columns
// RUN: kiln-run %s --target=cpu --check --entry=exclusive
// RUN: kiln-run %s --target=cpu --check --entry=lse
// RUN: kiln-run %s --target=cpu --check --entry=arg --dim=9
// RUN: kiln-run %s --target=cpu --check --entry=arg --dim=0

// Along what is contiguous by blocks, and across what is not step by step.
// CHECK-LABEL: tile.kernel private @rows_0_scan
// CHECK: scf.for
// CHECK: tile.scan
// CHECK-LABEL: tile.kernel private @columns_0_scan
// CHECK: scf.for
// CHECK-NOT: tile.scan
// CHECK: tile.store
func.func @rows(%x: tensor<3x1000xf32>) -> tensor<3x1000xf32> {
  %r = prim.scan sum %x dim 1 : tensor<3x1000xf32>
  return %r : tensor<3x1000xf32>
}
func.func @columns(%x: tensor<50x7xf16>) -> tensor<50x7xf16> {
  %r = prim.scan sum %x dim 0 reverse : tensor<50x7xf16>
  return %r : tensor<50x7xf16>
}
func.func @exclusive(%x: tensor<3x600xi32>, %y: tensor<50x7xi8>) -> (tensor<3x600xi32>, tensor<3x600xi32>, tensor<50x7xi8>, tensor<50x7xi8>) {
  %r = prim.scan sum %x dim 1 exclusive : tensor<3x600xi32>
  %s = prim.scan prod %x dim 1 reverse exclusive : tensor<3x600xi32>
  %t = prim.scan max %y dim 0 exclusive : tensor<50x7xi8>
  %u = prim.scan min %y dim 0 reverse exclusive : tensor<50x7xi8>
  return %r, %s, %t, %u : tensor<3x600xi32>, tensor<3x600xi32>, tensor<50x7xi8>, tensor<50x7xi8>
}
func.func @lse(%x: tensor<2x300xf32>, %y: tensor<40x3xf64>) -> (tensor<2x300xf32>, tensor<40x3xf64>) {
  %r = prim.scan logsumexp %x dim 1 : tensor<2x300xf32>
  %s = prim.scan logsumexp %y dim 0 : tensor<40x3xf64>
  return %r, %s : tensor<2x300xf32>, tensor<40x3xf64>
}
func.func @arg(%x: tensor<2x300xf32>, %y: tensor<?x3xi16>) -> (tensor<2x300xi64>, tensor<?x3xi32>) {
  %r = prim.arg_scan max %x dim 1 : tensor<2x300xf32> -> tensor<2x300xi64>
  %s = prim.arg_scan min %y dim 0 reverse : tensor<?x3xi16> -> tensor<?x3xi32>
  return %r, %s : tensor<2x300xi64>, tensor<?x3xi32>
}
