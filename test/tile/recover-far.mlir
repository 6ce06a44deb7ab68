// A product with a number that is larger than any memory wraps around in 64 bits: its mask is no range, so it stays a gather.
// The smallest number of 64 bits is also what stands for an open stride in the type of a view.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views))' | FileCheck %s
// CHECK-LABEL: tile.kernel @far
// CHECK: tile.load_gather
// CHECK-LABEL: tile.kernel @farther
// CHECK: tile.load_gather
// RUN: %python -c "import numpy as np; np.save('%t.x.npy', np.arange(40, 50, dtype=np.int32))"
// RUN: for t in cpu reference; do kiln-run %s --entry=far --target=$t --grid=1 --arg=%t.x.npy --arg=zeros:i32:8 --save=1:%t.o.npy && %python %S/../triton/Inputs/check.py %t.o.npy 40 7 40 7 40 7 40 7 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=farther --target=$t --grid=1 --arg=%t.x.npy --arg=zeros:i32:8 --save=1:%t.o.npy && %python %S/../triton/Inputs/check.py %t.o.npy 40 7 7 7 40 7 7 7 || exit 1; done
tt.func public @far(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %wide = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %factor = arith.constant dense<-9223372036854775808> : tensor<8xi64>
  %at = arith.muli %wide, %factor : tensor<8xi64>
  %zeros = arith.constant dense<0> : tensor<8xi64>
  %size = arith.constant dense<10> : tensor<8xi64>
  %low = arith.cmpi sge, %at, %zeros : tensor<8xi64>
  %high = arith.cmpi slt, %at, %size : tensor<8xi64>
  %in = arith.andi %low, %high : tensor<8xi1>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<8x!tt.ptr<i32>>, tensor<8xi64>
  %seven = arith.constant dense<7> : tensor<8xi32>
  %v = tt.load %xp, %in, %seven : tensor<8x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yp, %v : tensor<8x!tt.ptr<i32>>
  tt.return
}

// By two factors, neither of which is too large.
tt.func public @farther(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %wide = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %factor = arith.constant dense<2147483648> : tensor<8xi64>
  %once = arith.muli %wide, %factor : tensor<8xi64>
  %at = arith.muli %once, %factor : tensor<8xi64>
  %zeros = arith.constant dense<0> : tensor<8xi64>
  %size = arith.constant dense<10> : tensor<8xi64>
  %low = arith.cmpi sge, %at, %zeros : tensor<8xi64>
  %high = arith.cmpi slt, %at, %size : tensor<8xi64>
  %in = arith.andi %low, %high : tensor<8xi1>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<8x!tt.ptr<i32>>, tensor<8xi64>
  %seven = arith.constant dense<7> : tensor<8xi32>
  %v = tt.load %xp, %in, %seven : tensor<8x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yp, %v : tensor<8x!tt.ptr<i32>>
  tt.return
}
