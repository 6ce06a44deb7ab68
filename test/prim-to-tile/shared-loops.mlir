// Columns are summed over two dimensions that no operand's memory lets merge. Instances share out both loops.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in both one; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done

// 16 x 13 blocks for 64 instances: four share each place of the longer loop.
// CHECK-LABEL: tile.kernel private @both_0_sum(
// CHECK-SAME: !tile.view<64x768xf32, strides = [1, 64]>
// CHECK: %[[P:.*]]:2 = tile.program_id
// CHECK: %[[I:.*]] = arith.divui %[[P]]#1, %c4
// CHECK: %[[J:.*]] = arith.remui %[[P]]#1, %c4
// Each has one block of the longer loop, which is none then.
// CHECK: scf.for {{.*}} = %[[J]] to %c13 step %c4
// CHECK: tile.load {{.*}}%[[I]]
// CHECK: tile.store {{.*}}[%[[P]]#1, %[[P]]#0]
// CHECK: @both_0_sum_parts(
func.func @both(%x: tensor<16x197x768xf16>, %y: tensor<197x16x768xf16>) -> tensor<768xf16> {
  %t = prim.transpose %y permutation [1, 0, 2] : tensor<197x16x768xf16> -> tensor<16x197x768xf16>
  %m = prim.mul %x, %t : tensor<16x197x768xf16>
  %s = prim.sum %m dims [0, 1] : tensor<16x197x768xf16> -> tensor<768xf16>
  return %s : tensor<768xf16>
}
// The longest loop alone has enough blocks.
// CHECK-LABEL: tile.kernel private @one_0_sum(
// CHECK: %[[P:.*]] = tile.program_id
// CHECK-NOT: arith.remui
// CHECK: scf.for {{.*}} = %[[P]] to
// CHECK: scf.for {{.*}} = %c0
// CHECK: @one_0_sum_parts(
func.func @one(%x: tensor<300x40x128xf16>, %y: tensor<40x300x128xf16>) -> tensor<128xf16> {
  %t = prim.transpose %y permutation [1, 0, 2] : tensor<40x300x128xf16> -> tensor<300x40x128xf16>
  %m = prim.mul %x, %t : tensor<300x40x128xf16>
  %s = prim.sum %m dims [0, 1] : tensor<300x40x128xf16> -> tensor<128xf16>
  return %s : tensor<128xf16>
}
