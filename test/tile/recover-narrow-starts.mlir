// Where offsets of 32 bits wrap around, the start of a view is truncated. MLIR takes a cast of an index to 32 bits and back for the index
// itself, so that the start would lie 2^32 elements away: a truncation stays.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views,canonicalize))' | FileCheck %s
// CHECK: %[[SUM:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[WIDE:.*]] = arith.index_cast %[[SUM]] : index to i64
// CHECK: %[[NARROW:.*]] = arith.trunci %[[WIDE]] : i64 to i32
// CHECK: %[[START:.*]] = arith.index_cast %[[NARROW]] : i32 to index
// CHECK: tile.ptr_add %{{.*}}, %[[START]] : !tile.ptr<i8>, index
// RUN: %python -c "import numpy as np; np.save('%t.x.npy', np.arange(2048).astype(np.int8))"
// RUN: for t in cpu reference; do kiln-run %s --target=$t --grid=1 --arg=%t.x.npy --arg=zeros:i8:8 --arg=i32:2147483392 --arg=i32:195 --save=1:%t.o.npy && %python %S/../triton/Inputs/check.py %t.o.npy -61 -62 -63 -64 -65 -66 -67 -68 || exit 1; done
tt.func public @k(%x: !tt.ptr<i8>, %y: !tt.ptr<i8>, %s: i32, %u: i32) {
  %none = arith.constant dense<0> : tensor<8xi8>
  %us = tt.splat %u : i32 -> tensor<8xi32>
  %smallest = arith.constant dense<-2147483648> : tensor<8xi32>
  %above = arith.addi %us, %smallest : tensor<8xi32>
  %ss = tt.splat %s : i32 -> tensor<8xi32>
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %below = arith.addi %ss, %i : tensor<8xi32>
  %at = arith.subi %above, %below : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<8x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %at : tensor<8x!tt.ptr<i8>>, tensor<8xi32>
  %size = arith.constant dense<2048> : tensor<8xi32>
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %low = arith.cmpi sge, %at, %zeros : tensor<8xi32>
  %high = arith.cmpi slt, %at, %size : tensor<8xi32>
  %in = arith.andi %low, %high : tensor<8xi1>
  %v = tt.load %xp, %in, %none : tensor<8x!tt.ptr<i8>>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<8x!tt.ptr<i8>>
  %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<i8>>, tensor<8xi32>
  tt.store %yp, %v : tensor<8x!tt.ptr<i8>>
  tt.return
}
