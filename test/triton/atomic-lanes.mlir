// What an atomic access returns in lanes that its mask disables is zero, so that a mask may be computed from it.
// RUN: kiln-opt %s --convert-triton-to-tile | FileCheck %s
// RUN: for t in cpu reference; do kiln-run %s --entry=place --target=$t --grid=2 --arg=zeros:i32:1 --arg=zeros:i32:5 --arg=i32:3 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 6 && %python %S/Inputs/check.py %t.1.npy 1 1 1 1 0 || exit 1; done

// Lanes take places behind a counter; those behind the fourth place are dropped.
// CHECK-LABEL: tile.kernel @place
// CHECK: %[[OLD:.*]] = tile.atomic_rmw add
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: arith.select %{{.*}}, %[[OLD]], %[[ZERO]] : tensor<4xi1>, tensor<4xi32>
tt.func public @place(%count: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %lane = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %bound = tt.splat %n : i32 -> tensor<4xi32>
  %on = arith.cmpi slt, %lane, %bound : tensor<4xi32>
  %one = arith.constant dense<1> : tensor<4xi32>
  %four = arith.constant dense<4> : tensor<4xi32>
  %counts = tt.splat %count : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %place = tt.atomic_rmw add, relaxed, gpu, %counts, %one, %on : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<4xi1>) -> tensor<4xi32>
  %free = arith.cmpi slt, %place, %four : tensor<4xi32>
  %kept = arith.andi %on, %free : tensor<4xi1>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %at = tt.addptr %outs, %place : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %at, %one, %kept : tensor<4x!tt.ptr<i32>>
  tt.return
}

// Without a mask, and where nothing reads the result, there is nothing to choose.
// CHECK-LABEL: tile.kernel @plain
// CHECK-NOT: arith.select
tt.func public @plain(%count: !tt.ptr<i32>, %on: i1) {
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %old = tt.atomic_rmw add, relaxed, gpu, %count, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %none = tt.atomic_rmw add, relaxed, gpu, %count, %old, %on : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}
