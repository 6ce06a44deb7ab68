// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The larger of a float in memory and another one is an update of integers: floats of one sign are ordered as their bits are. Threads read
// what is there, and update where that wins. A NaN of the sign that loses, in memory from before, is replaced by the other one.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-insert-barriers),convert-tile-to-simt)' | FileCheck %s
// RUN: for entry in largest smallest wide; do for inputs in random hurt; do \
// RUN:   kiln-run %S/Inputs/extreme-updates.mlir --entry=$entry --target=amd:gfx942,device=sim --inputs=$inputs --check || exit 1; done; done

// CHECK-LABEL: llvm.func @largest(
// CHECK: %[[NOW:.*]] = simt.load {{.*}} volatile : {{.*}} -> i32
// CHECK-DAG: %[[NAN:.*]] = arith.constant 2143289344 : i32
// CHECK-DAG: %[[INFINITY:.*]] = arith.constant -8388608 : i32
// CHECK: %[[LOST:.*]] = arith.cmpi ugt, %[[NOW]], %[[INFINITY]] : i32
// CHECK: arith.ori %{{.*}}, %[[LOST]]
// CHECK: %[[BITS:.*]] = arith.select %{{.*}}, %[[NAN]], %{{.*}} : i32
// CHECK: arith.cmpi slt, %[[BITS]]
// CHECK: arith.cmpi ult, %[[BITS]], %[[NOW]]
// CHECK: scf.if
// CHECK: simt.atomic_rmw umin {{.*}}, %[[BITS]]
// CHECK: arith.cmpi sgt, %[[BITS]], %[[NOW]]
// CHECK: scf.if
// CHECK: simt.atomic_rmw max {{.*}}, %[[BITS]]
// CHECK-NOT: simt.atomic_rmw
tile.kernel @largest(%x: !tile.view<32xf32>, %y: !tile.view<32xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<32xf32> -> tensor<32xf32>
  tile.store %t, %y[%c0] combine max : tensor<32xf32>, !tile.view<32xf32>
}

// CHECK-LABEL: llvm.func @smallest(
// CHECK: arith.cmpi sgt
// CHECK: arith.cmpi ugt
// CHECK: simt.atomic_rmw umax
// CHECK: arith.cmpi slt
// CHECK: simt.atomic_rmw min
// CHECK-NOT: simt.atomic_rmw
tile.kernel @smallest(%x: !tile.view<32xf64>, %y: !tile.view<32xf64>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<32xf64> -> tensor<32xf64>
  tile.store %t, %y[%c0] combine min : tensor<32xf64>, !tile.view<32xf64>
}
