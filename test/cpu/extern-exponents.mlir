// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries disagree about the exponent of zero and of a NaN: the target gives the smallest number for both, whatever the library says.
// RUN: kiln-compile %s --target=cpu:armv8.6-a --emit=llvm | FileCheck %s
// RUN: kiln-compile %s --target=cpu:x86-64-v3 --emit=llvm | FileCheck %s
// CHECK: call i32 @ilogbf(
// CHECK: %[[NONE:.*]] = fcmp {{.*}}ueq
// CHECK: select {{.*}}%[[NONE]], {{.*}}-2147483648
tile.kernel @exponents(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xi32> {tile.noalias}) {
  %i = tile.program_id : index
  %c64 = arith.constant 64 : index
  %at = arith.muli %i, %c64 : index
  %v = tile.load %x[%at] : !tile.view<?xf32> -> tensor<64xf32>
  %e = tile.call_extern "ilogb" from "" pure (%v) : (tensor<64xf32>) -> tensor<64xi32>
  tile.store %e, %y[%at] : tensor<64xi32>, !tile.view<?xi32>
}
