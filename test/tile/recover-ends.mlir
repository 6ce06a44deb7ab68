// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop ends with is where the next one begins: pointers that move through loops behind each other, or inside of each other,
// become accesses of views in all of them. Each loop may have no iteration.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-recover-views,canonicalize,cse))' | FileCheck %s
// RUN: %python -c "import numpy as np; x = np.arange(400, dtype=np.int32); x.tofile('%t.x'); np.save('%t.x.npy', x)"
// RUN: for n in 0 1 3 8; do for m in 0 1 4; do for t in cpu reference; do \
// RUN:   kiln-run %s --entry=behind --target=$t --grid=1 --arg=%t.x.npy --arg=zeros:i32:16 --arg=i32:$n --arg=i32:$m --save=1:%t.o.npy && \
// RUN:   kiln-run %s --entry=inside --target=$t --grid=1 --arg=%t.x.npy --arg=zeros:i32:8 --arg=i32:$n --arg=i32:$m --save=1:%t.p.npy && \
// RUN:   %python -c "import sys, numpy as np; n, m = map(int, sys.argv[1:]); x = np.load('%t.x.npy'); \
// RUN: steps = -(-n // 2); rows = x.reshape(-1, 8); two = rows[:steps].sum(0) - rows[steps:steps + m].sum(0), rows[steps + m]; \
// RUN: assert (np.load('%t.o.npy') == np.concatenate(two)).all(), (n, m); \
// RUN: p, s = 0, 0 * x[:8]; \
// RUN: exec('for i in range(n):\n  for j in range(m):\n    s = s + x[p:p + 8] * (i + 1)\n    p += 8\n  p += 3'); \
// RUN: assert (np.load('%t.p.npy') == s).all(), (n, m)" $n $m || exit 1; done; done; done

// The first loop has ceil(n / 2) iterations, the second one m. The row behind both is read, too.
// CHECK-LABEL: tile.kernel @behind
// CHECK-NOT: tile.load_ptr
// CHECK: scf.for
// CHECK: tile.load %
// CHECK: scf.for
// CHECK: tile.load %
// CHECK: tile.load %
// CHECK-NOT: tile.load_ptr
tile.kernel @behind(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c8 = arith.constant dense<8> : tensor<8xi32>
  %iota = tile.iota 0 : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<i32>>
  %first = tile.ptr_add %xs, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %sum, %middle = scf.for %i = %c0 to %n step %c2 iter_args(%s = %zero, %p = %first) -> (tensor<8xi32>, tensor<8x!tile.ptr<i32>>) : i32 {
    %v = tile.load_ptr %p : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
    %t = arith.addi %s, %v : tensor<8xi32>
    %q = tile.ptr_add %p, %c8 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    scf.yield %t, %q : tensor<8xi32>, tensor<8x!tile.ptr<i32>>
  }
  %rest, %last = scf.for %i = %c0 to %m step %c1 iter_args(%s = %sum, %p = %middle) -> (tensor<8xi32>, tensor<8x!tile.ptr<i32>>) : i32 {
    %v = tile.load_ptr %p : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
    %t = arith.subi %s, %v : tensor<8xi32>
    %q = tile.ptr_add %p, %c8 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    scf.yield %t, %q : tensor<8xi32>, tensor<8x!tile.ptr<i32>>
  }
  %behind = tile.load_ptr %last : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
  %ys = tile.splat %y : tensor<8x!tile.ptr<i32>>
  %to_y = tile.ptr_add %ys, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store_ptr %to_y, %rest : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %next = tile.ptr_add %to_y, %c8 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store_ptr %next, %behind : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
}

// The inner loop moves the pointer by m rows of eight, and the outer one by three more elements.
// CHECK-LABEL: tile.kernel @inside
// CHECK-NOT: tile.load_ptr
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.load %
// CHECK-NOT: tile.load_ptr
tile.kernel @inside(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant dense<3> : tensor<8xi32>
  %c8 = arith.constant dense<8> : tensor<8xi32>
  %iota = tile.iota 0 : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<i32>>
  %first = tile.ptr_add %xs, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %p = %first) -> (tensor<8xi32>, tensor<8x!tile.ptr<i32>>) : i32 {
    %times = arith.addi %i, %c1 : i32
    %factor = tile.splat %times : tensor<8xi32>
    %inner, %end = scf.for %j = %c0 to %m step %c1 iter_args(%u = %s, %r = %p) -> (tensor<8xi32>, tensor<8x!tile.ptr<i32>>) : i32 {
      %v = tile.load_ptr %r : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
      %w = arith.muli %v, %factor : tensor<8xi32>
      %t = arith.addi %u, %w : tensor<8xi32>
      %q = tile.ptr_add %r, %c8 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
      scf.yield %t, %q : tensor<8xi32>, tensor<8x!tile.ptr<i32>>
    }
    %q = tile.ptr_add %end, %c3 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    scf.yield %inner, %q : tensor<8xi32>, tensor<8x!tile.ptr<i32>>
  }
  %ys = tile.splat %y : tensor<8x!tile.ptr<i32>>
  %to_y = tile.ptr_add %ys, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store_ptr %to_y, %sum : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
}
