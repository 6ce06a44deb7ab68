// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons that the bounds of a loop decide, which authors write to steer another compiler, leave no branch.
// RUN: kiln-compile %s --target=reference --emit=tile -o - | FileCheck %s
// RUN: kiln-run %s --target=cpu --grid=1 --arg=random:1:f32:64 --arg=zeros:f32:64 --check
// CHECK-LABEL: tile.kernel @steered(
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: tile.store
tt.func public @steered(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<32xf32>) : i32 {
    %c32 = arith.constant 32 : i32
    %at = arith.muli %i, %c32 : i32
    %ats = tt.splat %at : i32 -> tensor<32xi32>
    %places = arith.addi %ats, %range : tensor<32xi32>
    %px = tt.addptr %xs, %places : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %v = tt.load %px : tensor<32x!tt.ptr<f32>>
    %is = arith.cmpi sge, %i, %c0 : i32
    %t = scf.if %is -> (tensor<32xf32>) {
      %u = arith.addf %acc, %v : tensor<32xf32>
      scf.yield %u : tensor<32xf32>
    } else {
      scf.yield %acc : tensor<32xf32>
    }
    scf.yield %t : tensor<32xf32>
  }
  %py = tt.addptr %ys, %range : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %py, %s : tensor<32x!tt.ptr<f32>>
  tt.return
}
