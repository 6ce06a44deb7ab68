// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop carries the future of an asynchronous matmul. It begins with one that is complete, and each wait is for the matmul of the
// iteration before, while the next one is in flight.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --canonicalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: sed "s/but 0 %last/but 1 %last/" %s > %t.early.mlir
// RUN: kiln-run %s --entry=chain --target=reference --grid=1 --inputs=random --check
// RUN: not kiln-run %t.early.mlir --entry=chain --target=reference --grid=1 --inputs=random 2>&1 | FileCheck %s --check-prefix=EARLY
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// EARLY: leaves a matmul in flight that it waits for: 0 began later, and the wait is for all but 1

!A = tensor<16x8xf32, {rows = 8 : i64}>
!B = tensor<8x16xf32, {rows = 8 : i64}>
!F = tensor<16x16xf32, {rows = 8 : i64}>

// CHECK-LABEL: tile.kernel @chain
// CHECK: %[[NONE:.*]] = simt.future %{{.*}} : tensor<16x16xf32, {rows = 8 : i64}>
// CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[NONE]]) -> (!stage.future<tensor<16x16xf32, {rows = 8 : i64}>>)
// CHECK: %[[NEXT:.*]] = stage.product async %{{.*}}, %{{.*}}, %[[BEFORE]] : {{.*}}, !stage.future<
// CHECK: %[[OLD:.*]]:2 = stage.wait but 1 %[[BEFORE]] : !stage.future<{{.*}} keep %[[NEXT]] : !stage.future<
// CHECK: scf.yield %[[OLD]]#1
// CHECK: stage.wait but 0 %[[LAST]] : !stage.future<
tile.kernel @chain(%x: !tile.view<16x8xf32>, %y: !tile.view<8x16xf32>, %z: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.addi %c1, %c2 : index
  %zero = arith.constant dense<0.0> : !F
  %a = tile.load %x[%c0, %c0] : !tile.view<16x8xf32> -> !A
  %b = tile.load %y[%c0, %c0] : !tile.view<8x16xf32> -> !B
  %none = simt.future %zero : !F
  %last = scf.for %k = %c0 to %c3 step %c1 iter_args(%f = %none) -> (!stage.future<!F>) {
    %g = stage.product async %a, %b, %f : !A, !B, !stage.future<!F>
    %d, %h = stage.wait but 1 %f : !stage.future<!F> keep %g : !stage.future<!F>
    scf.yield %h : !stage.future<!F>
  }
  %sum = stage.wait but 0 %last : !stage.future<!F>
  tile.store %sum, %z[%c0, %c0] : !F, !tile.view<16x16xf32>
}
