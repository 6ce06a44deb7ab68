// Tiles and pointers that loops move by a step that only the launch knows get closed forms, in whatever order a loop uses
// and moves them, and wherever what the step is made of stands.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(100, dtype=np.int32))"
// RUN: for t in cpu reference; do kiln-run %s --entry=after --target=$t --grid=1 --arg=%t/x.npy --arg=zeros:i32:12 --arg=i32:5 --arg=i32:3 --save=1:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 5 6 7 8 10 11 12 13 15 16 17 18 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=around --target=$t --grid=1 --arg=%t/x.npy --arg=zeros:i32:12 --arg=i32:5 --arg=i32:3 --save=1:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 5 7 9 11 15 17 19 21 25 27 29 31 || exit 1; done
// Two tiles and a pointer, of which one is read before it moves; no iterations leave the output alone.
// RUN: for t in cpu reference; do kiln-run %s --entry=several --target=$t --grid=1 --arg=%t/x.npy --arg=zeros:i32:12 --arg=i32:5 --arg=i32:-3 --arg=i32:3 --save=1:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 62 65 68 71 64 67 70 73 66 69 72 75 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=several --target=$t --grid=1 --arg=%t/x.npy --arg=zeros:i32:4 --arg=i32:5 --arg=i32:-3 --arg=i32:0 --save=1:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 0 0 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=nested --target=$t --grid=1 --arg=%t/x.npy --arg=zeros:i32:16 --arg=i32:7 --arg=i32:20 --save=1:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 7 8 9 10 14 15 16 17 27 28 29 30 34 35 36 37 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=until --target=$t --grid=1 --arg=%t/x.npy --arg=zeros:i32:12 --arg=i32:5 --arg=i32:3 --save=1:%t/o.npy && %python %S/Inputs/check.py %t/o.npy 5 6 7 8 10 11 12 13 15 16 17 18 || exit 1; done
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views{report=true}))' 2>&1 | FileCheck %s
// CHECK-COUNT-8: remark: view
// CHECK-LABEL: tile.kernel @after
// The step is made in front of the loop, the closed form in it.
// CHECK: tile.splat %arg2
// CHECK: scf.for
// CHECK: arith.divsi
// CHECK: tile.load %{{.*}} : !tile.view<4xi32, strides = [1]> -> tensor<4xi32>
tt.func public @after(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %c: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %r = scf.for %k = %zero to %n step %one iter_args(%o = %i) -> (tensor<4xi32>) : i32 {
    %s = tt.splat %c : i32 -> tensor<4xi32>
    %p = arith.addi %o, %s : tensor<4xi32>
    %xp = tt.addptr %xs, %p : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    %v = tt.load %xp : tensor<4x!tt.ptr<i32>>
    %at = arith.muli %k, %four : i32
    %q = tt.addptr %out, %at : !tt.ptr<i32>, i32
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %qp = tt.addptr %qs, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    tt.store %qp, %v : tensor<4x!tt.ptr<i32>>
    scf.yield %p : tensor<4xi32>
  }
  tt.return
}
tt.func public @around(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %c: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %r = scf.for %k = %zero to %n step %one iter_args(%o = %i) -> (tensor<4xi32>) : i32 {
    %xp = tt.addptr %xs, %o : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    %v = tt.load %xp : tensor<4x!tt.ptr<i32>>
    %s = tt.splat %c : i32 -> tensor<4xi32>
    %p = arith.addi %s, %o : tensor<4xi32>
    %yp = tt.addptr %xs, %p : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    %w = tt.load %yp : tensor<4x!tt.ptr<i32>>
    %both = arith.addi %v, %w : tensor<4xi32>
    %at = arith.muli %k, %four : i32
    %q = tt.addptr %out, %at : !tt.ptr<i32>, i32
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %qp = tt.addptr %qs, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    tt.store %qp, %both : tensor<4x!tt.ptr<i32>>
    scf.yield %p : tensor<4xi32>
  }
  tt.return
}
tt.func public @several(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %c: i32, %d: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant dense<60> : tensor<4xi32>
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %high = arith.addi %i, %sixty : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %x0 = tt.addptr %xs, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %o0 = tt.addptr %os, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %r:3 = scf.for %k = %zero to %n step %one iter_args(%pa = %x0, %b = %high, %po = %o0)
      -> (tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<4x!tt.ptr<i32>>) : i32 {
    %cs = tt.splat %c : i32 -> tensor<4xi32>
    %pn = tt.addptr %pa, %cs : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    %v = tt.load %pn : tensor<4x!tt.ptr<i32>>
    %ds = tt.splat %d : i32 -> tensor<4xi32>
    %bn = arith.addi %b, %ds : tensor<4xi32>
    %xp = tt.addptr %xs, %bn : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    %w = tt.load %xp : tensor<4x!tt.ptr<i32>>
    %vw = arith.addi %v, %w : tensor<4xi32>
    %sum = arith.addi %vw, %i : tensor<4xi32>
    tt.store %po, %sum : tensor<4x!tt.ptr<i32>>
    %fours = tt.splat %four : i32 -> tensor<4xi32>
    %pon = tt.addptr %po, %fours : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    scf.yield %pn, %bn, %pon : tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<4x!tt.ptr<i32>>
  }
  tt.return
}
tt.func public @nested(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %c: i32, %d: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %eight = arith.constant 8 : i32
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %r = scf.for %k = %zero to %two step %one iter_args(%o = %i) -> (tensor<4xi32>) : i32 {
    %inner = scf.for %l = %zero to %two step %one iter_args(%u = %o) -> (tensor<4xi32>) : i32 {
      %s = tt.splat %c : i32 -> tensor<4xi32>
      %p = arith.addi %u, %s : tensor<4xi32>
      %xp = tt.addptr %xs, %p : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
      %v = tt.load %xp : tensor<4x!tt.ptr<i32>>
      %k8 = arith.muli %k, %eight : i32
      %l4 = arith.muli %l, %four : i32
      %at = arith.addi %k8, %l4 : i32
      %q = tt.addptr %out, %at : !tt.ptr<i32>, i32
      %qs = tt.splat %q : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
      %qp = tt.addptr %qs, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
      tt.store %qp, %v : tensor<4x!tt.ptr<i32>>
      scf.yield %p : tensor<4xi32>
    }
    %ds = tt.splat %d : i32 -> tensor<4xi32>
    %on = arith.addi %o, %ds : tensor<4xi32>
    scf.yield %on : tensor<4xi32>
  }
  tt.return
}
tt.func public @until(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %c: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %r:2 = scf.while (%k = %zero, %o = %i) : (i32, tensor<4xi32>) -> (i32, tensor<4xi32>) {
    %more = arith.cmpi slt, %k, %n : i32
    scf.condition(%more) %k, %o : i32, tensor<4xi32>
  } do {
  ^bb0(%k: i32, %o: tensor<4xi32>):
    %s = tt.splat %c : i32 -> tensor<4xi32>
    %p = arith.addi %o, %s : tensor<4xi32>
    %xp = tt.addptr %xs, %p : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    %v = tt.load %xp : tensor<4x!tt.ptr<i32>>
    %at = arith.muli %k, %four : i32
    %q = tt.addptr %out, %at : !tt.ptr<i32>, i32
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %qp = tt.addptr %qs, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    tt.store %qp, %v : tensor<4x!tt.ptr<i32>>
    %kn = arith.addi %k, %one : i32
    scf.yield %kn, %p : i32, tensor<4xi32>
  }
  tt.return
}
