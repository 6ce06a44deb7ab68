// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions of tiles of integers have a result for every operand. What all elements are divided by is chosen once, from the divisor
// alone, so that an assembler prepares it once.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

#x = #simt.layout<rank = 1, register = [[1], [2]], lane = [], warp = []>

// CHECK-LABEL: llvm.func @quotients
// CHECK: %[[NEXT:.*]] = arith.addi %[[D:.*]], %{{.*}} : i32
// CHECK: %[[BAD:.*]] = arith.cmpi ule, %[[NEXT]], %{{.*}} : i32
// CHECK: %[[SAFE:.*]] = arith.select %[[BAD]], %{{.*}}, %[[D]] : i32
// CHECK-COUNT-4: arith.divsi %{{.*}}, %[[SAFE]] : i32
// quotients: x: i32 = [7, 2**32 - 7, 100, 2**31], q: i32 = [0] * 4, r: i32 = [9] * 4
// quotients: scalars = [0, 0, 2**32 - 1]
// quotients: expect q == [2**32 - 7, 7, 2**32 - 100, 2**31] and r == [0] * 4 and count("arith.divsi") == 4
tile.kernel @quotients(%x: !tile.view<4xi32>, %d: i32, %q: !tile.view<4xi32>, %r: !tile.view<4xi32>) attributes {warps = 1 : i64} {
  %z = arith.constant 0 : index
  %a = tile.load %x[%z] : !tile.view<4xi32> -> tensor<4xi32, #x>
  %b = tile.splat %d : tensor<4xi32, #x>
  %quotient = arith.divsi %a, %b : tensor<4xi32, #x>
  %rest = arith.remsi %a, %b : tensor<4xi32, #x>
  tile.store %quotient, %q[%z] : tensor<4xi32, #x>, !tile.view<4xi32>
  tile.store %rest, %r[%z] : tensor<4xi32, #x>, !tile.view<4xi32>
  tile.return
}

// A divisor of 0 gives any result; it must not stop the others.
// zero: x: i32 = [7, 2**32 - 7, 100, 2**31], d: i32 = [0, 2, 3, 2**32 - 5], q: i32 = [0] * 4, u: i32 = [0] * 4
// zero: expect q[1:] == [2**32 - 3, 33, 429496729] and u[1:] == [2**31 - 4, 33, 0]
tile.kernel @zero(%x: !tile.view<4xi32>, %d: !tile.view<4xi32>, %q: !tile.view<4xi32>, %u: !tile.view<4xi32>) attributes {warps = 1 : i64} {
  %z = arith.constant 0 : index
  %a = tile.load %x[%z] : !tile.view<4xi32> -> tensor<4xi32, #x>
  %b = tile.load %d[%z] : !tile.view<4xi32> -> tensor<4xi32, #x>
  %quotient = arith.divsi %a, %b : tensor<4xi32, #x>
  %unsigned = arith.divui %a, %b : tensor<4xi32, #x>
  tile.store %quotient, %q[%z] : tensor<4xi32, #x>, !tile.view<4xi32>
  tile.store %unsigned, %u[%z] : tensor<4xi32, #x>, !tile.view<4xi32>
  tile.return
}

#y = #simt.layout<rank = 1, register = [[1], [2], [4]], lane = [], warp = []>

// Neighbours that have one quotient have it from one division.
// CHECK-LABEL: llvm.func @groups
// CHECK-COUNT-2: arith.divsi
// CHECK-NOT: arith.divsi
// groups: q: i32 = [9] * 8
// groups: scalars = [4]
// groups: expect q == [0] * 4 + [1] * 4 and count("arith.divsi") == 2
tile.kernel @groups(%d: i32 {tile.divisibility = 4 : i64}, %q: !tile.view<8xi32>) attributes {warps = 1 : i64} {
  %z = arith.constant 0 : index
  %a = tile.iota 0 : tensor<8xi32, #y>
  %b = tile.splat %d : tensor<8xi32, #y>
  %quotient = arith.divsi %a, %b : tensor<8xi32, #y>
  tile.store %quotient, %q[%z] : tensor<8xi32, #y>, !tile.view<8xi32>
  tile.return
}
