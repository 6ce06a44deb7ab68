// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops run as often as their bounds say, though the number behind the last one has no place in their type, and though unsigned
// bounds are negative as signed ones. The kernels give the trips, and the last number.
// RUN: rm -rf %t && mkdir %t
// RUN: for t in cpu reference; do kiln-run %s --entry=signed --target=$t --grid=1 --arg=zeros:i32:2 --arg=i32:2147483638 --arg=i32:2147483647 --arg=i32:4 --save=0:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 3 2147483646 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=signed --target=$t --grid=1 --arg=zeros:i32:2 --arg=i32:-2147483648 --arg=i32:2147483647 --arg=i32:2147483647 --save=0:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 3 2147483646 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=signed --target=$t --grid=1 --arg=zeros:i32:2 --arg=i32:5 --arg=i32:-5 --arg=i32:3 --save=0:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 0 77 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=unsigned --target=$t --grid=1 --arg=zeros:i32:2 --arg=i32:2147483643 --arg=i32:-2147483641 --arg=i32:3 --save=0:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 4 -2147483644 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=unsigned --target=$t --grid=1 --arg=zeros:i32:2 --arg=i32:-10 --arg=i32:-1 --arg=i32:4 --save=0:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 3 -2 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=unsigned --target=$t --grid=1 --arg=zeros:i32:2 --arg=i32:-7 --arg=i32:7 --arg=i32:1 --save=0:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 0 77 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=wide --target=$t --grid=1 --arg=zeros:i64:2 --save=0:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 4 -9223372036854775804 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=tiles --target=$t --grid=1 --arg=zeros:i32:4 --save=0:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 2147483641 2147483642 2147483643 2147483644 || exit 1; done
// Later passes see loops of signed numbers alone, whose constant bounds are not too far apart for their type.
// RUN: kiln-opt %s --convert-triton-to-tile | FileCheck %s --implicit-check-not='scf.for unsigned'
// CHECK-LABEL: tile.kernel @signed
// CHECK: scf.for %{{.*}} = %arg1 to %arg2 step %arg3
tt.func public @signed(%out: !tt.ptr<i32>, %from: i32, %to: i32, %step: i32) {
  %none = arith.constant 0 : i32
  %other = arith.constant 77 : i32
  %one = arith.constant 1 : i32
  %found:2 = scf.for %k = %from to %to step %step iter_args(%n = %none, %last = %other) -> (i32, i32) : i32 {
    %next = arith.addi %n, %one : i32
    scf.yield %next, %k : i32, i32
  }
  tt.store %out, %found#0 : !tt.ptr<i32>
  %second = tt.addptr %out, %one : !tt.ptr<i32>, i32
  tt.store %second, %found#1 : !tt.ptr<i32>
  tt.return
}
// CHECK-LABEL: tile.kernel @unsigned
// CHECK: %[[MORE:.*]] = arith.divui %{{.*}}, %arg3 : i32
// CHECK: arith.cmpi ult, %arg1, %arg2 : i32
// CHECK: %[[TRIPS:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: scf.for %[[TRIP:.*]] = %c0_i64 to %[[TRIPS]] step %c1_i64
// CHECK: arith.trunci %[[TRIP]] : i64 to i32
tt.func public @unsigned(%out: !tt.ptr<i32>, %from: i32, %to: i32, %step: i32) {
  %none = arith.constant 0 : i32
  %other = arith.constant 77 : i32
  %one = arith.constant 1 : i32
  %found:2 = scf.for unsigned %k = %from to %to step %step iter_args(%n = %none, %last = %other) -> (i32, i32) : i32 {
    %next = arith.addi %n, %one : i32
    scf.yield %next, %k : i32, i32
  }
  tt.store %out, %found#0 : !tt.ptr<i32>
  %second = tt.addptr %out, %one : !tt.ptr<i32>, i32
  tt.store %second, %found#1 : !tt.ptr<i32>
  tt.return
}
tt.func public @wide(%out: !tt.ptr<i64>) {
  %from = arith.constant 9223372036854775803 : i64
  %to = arith.constant -9223372036854775801 : i64
  %step = arith.constant 3 : i64
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %next = arith.constant 1 : i32
  %found:2 = scf.for unsigned %k = %from to %to step %step iter_args(%n = %none, %last = %none) -> (i64, i64) : i64 {
    %more = arith.addi %n, %one : i64
    scf.yield %more, %k : i64, i64
  }
  tt.store %out, %found#0 : !tt.ptr<i64>
  %second = tt.addptr %out, %next : !tt.ptr<i64>, i32
  tt.store %second, %found#1 : !tt.ptr<i64>
  tt.return
}
// CHECK-LABEL: tile.kernel @tiles
// CHECK: scf.for %{{.*}} = %c0_i64 to
tt.func public @tiles(%out: !tt.ptr<i32>) {
  %from = arith.constant -5 : i32
  %to = arith.constant 2147483647 : i32
  %step = arith.constant 2147483646 : i32
  %range = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %sum = scf.for %k = %from to %to step %step iter_args(%s = %range) -> (tensor<4xi32>) : i32 {
    %all = tt.splat %k : i32 -> tensor<4xi32>
    %next = arith.addi %all, %range : tensor<4xi32>
    scf.yield %next : tensor<4xi32>
  }
  %start = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %places = tt.addptr %start, %range : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %places, %sum : tensor<4x!tt.ptr<i32>>
  tt.return
}
