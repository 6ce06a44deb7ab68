// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scatter along the first dimension of a matrix works on its transpose. If that is transposed back, the result lies as the operand does,
// and nothing is transposed. Else a kernel copies the operand to where the result goes; a copy by the runtime would go through memory of
// the host.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in columns kept; do for target in amd:gfx942,device=sim cpu; do \
// RUN:   kiln-run %s --target=$target --entry=$entry --check || exit 1; done; done
// CHECK-LABEL: program.func @columns
// CHECK: program.copy %{{.*}} to %[[TO:.*]] : memref<40x33xf32>, memref<40x33xf32>
// CHECK-NEXT: program.launch [@columns_{{.*}}scatter]
// CHECK-NEXT: program.return %[[TO]]
// CHECK-LABEL: program.func @kept
// CHECK-NOT: program.copy
// CHECK: program.launch [@kept_{{.*}}scatter_operand]
// CHECK: program.launch [@kept_{{.*}}scatter]
func.func @columns(%x: tensor<40x33xf32>, %i: tensor<50x33xi64>, %u: tensor<50x33xf32>) -> tensor<40x33xf32> {
  %1 = prim.transpose %x permutation [1, 0] : tensor<40x33xf32> -> tensor<33x40xf32>
  %2 = prim.transpose %i permutation [1, 0] : tensor<50x33xi64> -> tensor<33x50xi64>
  %3 = prim.transpose %u permutation [1, 0] : tensor<50x33xf32> -> tensor<33x50xf32>
  %c = prim.constant dense<31> : tensor<33x50xi64>
  %m = prim.bitwise_and %2, %c : tensor<33x50xi64>
  %4 = prim.reshape %m : tensor<33x50xi64> -> tensor<33x50x1xi64>
  %5 = prim.reshape %3 : tensor<33x50xf32> -> tensor<33x50x1xf32>
  %6 = prim.scatter add %1, %4, %5 dims [1] batch_dims 1 : tensor<33x40xf32>, tensor<33x50x1xi64>, tensor<33x50x1xf32>
  %7 = prim.transpose %6 permutation [1, 0] : tensor<33x40xf32> -> tensor<40x33xf32>
  return %7 : tensor<40x33xf32>
}
func.func @kept(%x: tensor<40x33xf32>, %i: tensor<50x33xi64>, %u: tensor<50x33xf32>) -> tensor<33x40xf32> {
  %1 = prim.transpose %x permutation [1, 0] : tensor<40x33xf32> -> tensor<33x40xf32>
  %2 = prim.transpose %i permutation [1, 0] : tensor<50x33xi64> -> tensor<33x50xi64>
  %3 = prim.transpose %u permutation [1, 0] : tensor<50x33xf32> -> tensor<33x50xf32>
  %c = prim.constant dense<31> : tensor<33x50xi64>
  %m = prim.bitwise_and %2, %c : tensor<33x50xi64>
  %4 = prim.reshape %m : tensor<33x50xi64> -> tensor<33x50x1xi64>
  %5 = prim.reshape %3 : tensor<33x50xf32> -> tensor<33x50x1xf32>
  %6 = prim.scatter add %1, %4, %5 dims [1] batch_dims 1 : tensor<33x40xf32>, tensor<33x50x1xi64>, tensor<33x50x1xf32>
  return %6 : tensor<33x40xf32>
}
