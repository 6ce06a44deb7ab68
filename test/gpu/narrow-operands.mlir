// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands that were extended to f32 are multiplied as what they were, where the description has a matrix instruction for that.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-narrow-operands))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_75},tile.kernel(simt-narrow-operands))' | FileCheck %s --check-prefix=OLD
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-narrow-operands))' -o %t

// CHECK-LABEL: tile.kernel @moved(
// CHECK: %[[A:.*]] = tile.load %arg0
// CHECK: %[[B:.*]] = tile.load %arg1
// CHECK: %[[T:.*]] = tile.transpose %[[B]] {{.*}}: tensor<32x16xbf16> -> tensor<16x32xbf16>
// CHECK: tile.dot %[[A]], %[[T]], %{{.*}} : tensor<32x16xbf16>, tensor<16x32xbf16>, tensor<32x32xf32>
// This chip multiplies no bf16.
// OLD-LABEL: tile.kernel @moved(
// OLD: tile.dot {{.*}} precision tf32 : tensor<32x16xf32>, tensor<16x32xf32>
tile.kernel @moved(%a: !tile.view<32x16xbf16>, %b: !tile.view<32x16xbf16>, %c: !tile.view<32x32xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x16xbf16> -> tensor<32x16xbf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x16xbf16> -> tensor<32x16xbf16>
  %u = arith.extf %x : tensor<32x16xbf16> to tensor<32x16xf32>
  %v = arith.extf %y : tensor<32x16xbf16> to tensor<32x16xf32>
  %t = tile.transpose %v [1, 0] : tensor<32x16xf32> -> tensor<16x32xf32>
  %d = tile.dot %u, %t, %zero precision tf32 : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// bf16 has all numbers of an 8-bit float.
// CHECK-LABEL: tile.kernel @bytes(
// CHECK: arith.extf %{{.*}} : tensor<32x16xf8E4M3FN> to tensor<32x16xbf16>
// CHECK: tile.dot {{.*}} : tensor<32x16xbf16>, tensor<16x32xbf16>, tensor<32x32xf32>
tile.kernel @bytes(%a: !tile.view<32x16xf8E4M3FN>, %b: !tile.view<16x32xbf16>, %c: !tile.view<32x32xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x16xf8E4M3FN> -> tensor<32x16xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !tile.view<16x32xbf16> -> tensor<16x32xbf16>
  %u = arith.extf %x : tensor<32x16xf8E4M3FN> to tensor<32x16xf32>
  %v = arith.extf %y : tensor<16x32xbf16> to tensor<16x32xf32>
  %d = tile.dot %u, %v, %zero precision tf32 : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// Neither type has all numbers of the other; all bits of f32 were asked for; one operand is computed.
// CHECK-LABEL: tile.kernel @stay(
// CHECK: tile.dot {{.*}} precision tf32 : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK: tile.dot {{.*}} : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK: tile.dot {{.*}} precision tf32 : tensor<16x16xf32>, tensor<16x16xf32>
tile.kernel @stay(%a: !tile.view<16x16xbf16>, %b: !tile.view<16x16xf16>, %c: !tile.view<16x16xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x16xbf16> -> tensor<16x16xbf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<16x16xf16> -> tensor<16x16xf16>
  %u = arith.extf %x : tensor<16x16xbf16> to tensor<16x16xf32>
  %v = arith.extf %y : tensor<16x16xf16> to tensor<16x16xf32>
  %d = tile.dot %u, %v, %zero precision tf32 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %e = tile.dot %u, %u, %d : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %f = tile.dot %e, %u, %e precision tf32 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  tile.store %f, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
