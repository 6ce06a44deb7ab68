// A product whose matrices are selected by numbers in memory reads each matrix where it lies: no kernel before copies them.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --explain -o %t 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s --check-prefix=CPU
// RUN: for entry in experts lhs; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done

// The number is read once, before the loop; numbers below zero are outside as those behind the end.
// CHECK-LABEL: tile.kernel private @experts_0_dot(
// CHECK: %[[TILE:.*]] = tile.load {{.*}}view<6xi64> -> tensor<1xi64>
// CHECK: %[[ONE:.*]] = tensor.extract
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[ONE]]
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[PLACE]], %c0
// CHECK: %[[SAFE:.*]] = arith.select %[[BELOW]], %c4, %[[PLACE]]
// CHECK: scf.for
// CHECK: tile.load {{.*}}[%[[SAFE]], {{.*}}view<4x128x96xbf16>
// CHECK: tile.dot
// CHECK-NOT: tile.kernel
// CHECK-LABEL: program.func @experts
// CODE: experts_0_dot: tile.load x2 -> ring
// CPU: @experts_0_gather(
func.func @experts(%x: tensor<6x64x128xbf16>, %w: tensor<4x128x96xbf16>, %e: tensor<6xi64>) -> tensor<6x64x96xbf16> {
  %m = prim.gather %w, %e dim 0 batch_dims 0 : tensor<4x128x96xbf16>, tensor<6xi64> -> tensor<6x128x96xbf16>
  %d = prim.dot_general %x, %m batch [0] x [0] contract [2] x [1] : tensor<6x64x128xbf16>, tensor<6x128x96xbf16> -> tensor<6x64x96xbf16>
  return %d : tensor<6x64x96xbf16>
}
// The left operand, whose contracted dimension comes first, too.
// CHECK-LABEL: tile.kernel private @lhs_0_dot(
// CHECK: tensor.extract
// CHECK: scf.for
// CHECK-NOT: tile.kernel
// CHECK-LABEL: program.func @lhs
func.func @lhs(%w: tensor<4x128x64xf16>, %x: tensor<5x128x96xf16>, %e: tensor<5xi32>) -> tensor<5x64x96xf16> {
  %m = prim.gather %w, %e dim 0 batch_dims 0 : tensor<4x128x64xf16>, tensor<5xi32> -> tensor<5x128x64xf16>
  %d = prim.dot_general %m, %x batch [0] x [0] contract [1] x [1] : tensor<5x128x64xf16>, tensor<5x128x96xf16> -> tensor<5x64x96xf16>
  return %d : tensor<5x64x96xf16>
}
