// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The larger of a float in memory and another one is an update of integers: floats of one sign are ordered as their bits are. A NaN of the
// sign that loses, in memory from before, is put back.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-insert-barriers),convert-tile-to-simt)' | FileCheck %s
// RUN: for entry in largest smallest wide; do for inputs in random hurt; do \
// RUN:   kiln-run %S/Inputs/extreme-updates.mlir --entry=$entry --target=amd:gfx942,device=sim --inputs=$inputs --check || exit 1; done; done

// CHECK-LABEL: llvm.func @largest(
// CHECK-DAG: %[[NAN:.*]] = arith.constant 2143289344 : i32
// CHECK-DAG: %[[INFINITY:.*]] = arith.constant -8388608 : i32
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BITS:.*]], %{{.*}} : i32
// CHECK: scf.if %[[NEGATIVE]] {
// CHECK: %[[OLD:.*]] = simt.atomic_rmw umin {{.*}}, %[[BITS]]
// CHECK: %[[LOST:.*]] = arith.cmpi ugt, %[[OLD]], %[[INFINITY]] : i32
// CHECK: scf.if %[[LOST]] {
// CHECK: simt.atomic_rmw max {{.*}}, %[[NAN]]
// CHECK: } else {
// CHECK: simt.atomic_rmw max {{.*}}, %[[BITS]]
tile.kernel @largest(%x: !tile.view<32xf32>, %y: !tile.view<32xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<32xf32> -> tensor<32xf32>
  tile.store %t, %y[%c0] combine max : tensor<32xf32>, !tile.view<32xf32>
}

// CHECK-LABEL: llvm.func @smallest(
// CHECK: simt.atomic_rmw umax
// CHECK: arith.cmpi sgt
// CHECK: simt.atomic_rmw umax
// CHECK: simt.atomic_rmw min
tile.kernel @smallest(%x: !tile.view<32xf64>, %y: !tile.view<32xf64>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<32xf64> -> tensor<32xf64>
  tile.store %t, %y[%c0] combine min : tensor<32xf64>, !tile.view<32xf64>
}
