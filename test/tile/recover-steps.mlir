// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop with a pointer that it moves counts its iterations where its step is no constant: no iteration divides. What the loop
// counted before is computed of that. A loop with a constant step, or without such pointers, stays as it is.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-recover-views,canonicalize,cse))' | FileCheck %s
// RUN: %python -c "import numpy as np; np.save('%t.x.npy', np.arange(80, dtype=np.int32))"
// RUN: for t in cpu reference; do kiln-run %s --entry=steps --target=$t --grid=1 --arg=%t.x.npy --arg=zeros:i32:8 --arg=i32:3 --arg=i32:10 --arg=i32:3 --save=1:%t.o.npy && %python %S/../triton/Inputs/check.py %t.o.npy 42 45 48 51 54 57 60 63 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=steps --target=$t --grid=1 --arg=%t.x.npy --arg=zeros:i32:8 --arg=i32:3 --arg=i32:-40 --arg=i32:3 --save=1:%t.o.npy && %python %S/../triton/Inputs/check.py %t.o.npy 0 0 0 0 0 0 0 0 || exit 1; done

// Iterations 3, 6 and 9 add them to the rows 0, 1 and 2 of 8.
// CHECK-LABEL: tile.kernel @steps
// CHECK-SAME: %[[FROM:[a-z0-9]+]]: i32, %[[TO:[a-z0-9]+]]: i32, %[[STEP:[a-z0-9]+]]: i32
// CHECK: %[[TIMES:.*]] = arith.divsi
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %[[TIMES]] step %c1
// CHECK-NOT: arith.divsi
// CHECK: %[[PASSED:.*]] = arith.muli %[[I]], %
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[PASSED]] : index
// CHECK: arith.index_cast %[[AT]] : index to i32
// CHECK-NOT: arith.divsi
// CHECK: tile.load
tile.kernel @steps(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %from: i32, %to: i32, %step: i32) {
  %c8 = arith.constant dense<8> : tensor<8xi32>
  %iota = tile.iota 0 : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<i32>>
  %first = tile.ptr_add %xs, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %sum, %last = scf.for %i = %from to %to step %step iter_args(%s = %zero, %p = %first) -> (tensor<8xi32>, tensor<8x!tile.ptr<i32>>) : i32 {
    %v = tile.load_ptr %p : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
    %is = tile.splat %i : tensor<8xi32>
    %w = arith.addi %v, %is : tensor<8xi32>
    %t = arith.addi %s, %w : tensor<8xi32>
    %q = tile.ptr_add %p, %c8 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    scf.yield %t, %q : tensor<8xi32>, tensor<8x!tile.ptr<i32>>
  }
  %ys = tile.splat %y : tensor<8x!tile.ptr<i32>>
  %to_y = tile.ptr_add %ys, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store_ptr %to_y, %sum : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
}

// CHECK-LABEL: tile.kernel @constant
// CHECK-SAME: %[[TO:[a-z0-9]+]]: i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[TO]] step %c4_i32
tile.kernel @constant(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %to: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant dense<8> : tensor<8xi32>
  %iota = tile.iota 0 : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<i32>>
  %first = tile.ptr_add %xs, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %sum, %last = scf.for %i = %c0 to %to step %c4 iter_args(%s = %zero, %p = %first) -> (tensor<8xi32>, tensor<8x!tile.ptr<i32>>) : i32 {
    %v = tile.load_ptr %p : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
    %t = arith.addi %s, %v : tensor<8xi32>
    %q = tile.ptr_add %p, %c8 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    scf.yield %t, %q : tensor<8xi32>, tensor<8x!tile.ptr<i32>>
  }
  %ys = tile.splat %y : tensor<8x!tile.ptr<i32>>
  %to_y = tile.ptr_add %ys, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store_ptr %to_y, %sum : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
}

// CHECK-LABEL: tile.kernel @still
// CHECK-SAME: %[[STEP:[a-z0-9]+]]: index
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %[[STEP]]
tile.kernel @still(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %step: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %iota = tile.iota 0 : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %sum = scf.for %i = %c0 to %c64 step %step iter_args(%s = %zero) -> tensor<8xi32> {
    %at = arith.index_cast %i : index to i32
    %p = tile.ptr_add %x, %at : !tile.ptr<i32>, i32
    %ps = tile.splat %p : tensor<8x!tile.ptr<i32>>
    %from = tile.ptr_add %ps, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %v = tile.load_ptr %from : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
    %t = arith.addi %s, %v : tensor<8xi32>
    scf.yield %t : tensor<8xi32>
  }
  %ys = tile.splat %y : tensor<8x!tile.ptr<i32>>
  %to_y = tile.ptr_add %ys, %iota : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store_ptr %to_y, %sum : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
}
