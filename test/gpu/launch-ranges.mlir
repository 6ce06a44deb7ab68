// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the hardware checks accesses against extents, parameters are annotated with the ranges that a kernel's condition leaves
// them. Conditions on several parameters, and those on products of parameters, say nothing of one.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-insert-barriers),convert-tile-to-simt)' | FileCheck %s

#checked = #kiln.target<name = "made-up", chip = "checked", topology = <lanes = 64>,
  memories = [#kiln.memory<name = "lds", scope = core, kind = explicit, size = 65536>,
    #kiln.memory<name = "global", scope = device, kind = cached, bounded = true>]>

module attributes {kiln.target = #checked} {
// CHECK-LABEL: llvm.func @strided(
// CHECK-SAME: %{{[a-z0-9]+}}: i32 {llvm.range = #llvm.constant_range<i32, 0, 34087043>}
// CHECK-SAME: %{{[a-z0-9]+}}: i32 {llvm.range = #llvm.constant_range<i32, -127, 2147483521>}
// CHECK-SAME: %{{[a-z0-9]+}}: i64 {llvm.range = #llvm.constant_range<i64, -9223372036854775808, 11>}
// CHECK-SAME: %{{[a-z0-9]+}}: i32, %{{[a-z0-9]+}}: i32,
tile.kernel @strided(%x: !tile.view<?x?xf32>, %a: i32, %b: i32, %c: i64, %d: i32, %e: i32) attributes {
    condition = affine_set<()[s0, s1, s2, s3, s4, s5, s6, s7, s8] : (s1 >= 0, s1 * -63 + 2147483647 >= 0,
      -(s2 + 127) + 2147483647 >= 0, s2 + 127 >= 0, s3 * -2 + 21 >= 0, s4 + s5 >= 0, s4 * s5 - 1 >= 0)>} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<8x32xf32>
  tile.store %v, %x[%c0, %c0] : tensor<8x32xf32>, !tile.view<?x?xf32>
}
}
