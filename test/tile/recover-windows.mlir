// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A window that slides over rows, and may begin before the first one, is read from one view of all rows: what is cut off is not
// computed anew for each window. The view begins where its first row does, so the tile's own begin cancels.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views,canonicalize,cse))' | FileCheck %s
// CHECK-LABEL: tile.kernel @window
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %c-3 : index
// CHECK: %[[ROWS:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK-NEXT: %[[SIZE:.*]] = arith.maxsi %[[ROWS]], %c0 : index
// CHECK-NEXT: %[[VIEW:.*]] = tile.make_view %arg0 sizes[%[[SIZE]]] strides[%{{.*}}]
// CHECK-NEXT: tile.load %[[VIEW]] at [%[[FIRST]], %c0]
// RUN: %python -c "import numpy as np; np.save('%t.x.npy', np.arange(80).astype(np.int32).reshape(10, 8))"
// RUN: for t in cpu reference; do kiln-run %s --target=$t --grid=2 --arg=%t.x.npy --arg=zeros:i32:2x8x4 --arg=i32:8 --arg=i32:10 --save=1:%t.o.npy && %python -c "import numpy as np; x = np.load('%t.x.npy'); want = np.array([[x[r, :4] if 0 <= r < 10 else [7] * 4 for r in range(8 * p - 3, 8 * p + 5)] for p in range(2)]); assert (np.load('%t.o.npy') == want).all()" || exit 1; done
tt.func public @window(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %stride: i32, %rows: i32) {
  %none = arith.constant dense<7> : tensor<8x4xi32>
  %zero = arith.constant dense<0> : tensor<8xi64>
  %before = arith.constant dense<-3> : tensor<8xi64>
  %four = arith.constant dense<4> : tensor<8x1xi32>
  %eight = arith.constant 8 : i64
  %size = arith.constant 32 : i32
  %p = tt.get_program_id x : i32
  %pw = arith.extsi %p : i32 to i64
  %first = arith.muli %pw, %eight : i64
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %rw = arith.extsi %r : tensor<8xi32> to tensor<8xi64>
  %fs = tt.splat %first : i64 -> tensor<8xi64>
  %at = arith.addi %fs, %rw : tensor<8xi64>
  %row = arith.addi %at, %before : tensor<8xi64>
  %above = arith.cmpi sge, %row, %zero : tensor<8xi64>
  %nw = arith.extsi %rows : i32 to i64
  %ns = tt.splat %nw : i64 -> tensor<8xi64>
  %below = arith.cmpi slt, %row, %ns : tensor<8xi64>
  %both = arith.andi %above, %below : tensor<8xi1>
  %both1 = tt.expand_dims %both {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %mask = tt.broadcast %both1 : tensor<8x1xi1> -> tensor<8x4xi1>
  %sw = arith.extsi %stride : i32 to i64
  %ss = tt.splat %sw : i64 -> tensor<8x1xi64>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<8xi64> -> tensor<8x1xi64>
  %from = arith.muli %row1, %ss : tensor<8x1xi64>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x1x!tt.ptr<i32>>
  %xr = tt.addptr %xs, %from : tensor<8x1x!tt.ptr<i32>>, tensor<8x1xi64>
  %xb = tt.broadcast %xr : tensor<8x1x!tt.ptr<i32>> -> tensor<8x4x!tt.ptr<i32>>
  %c = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %cb = tt.broadcast %c1 : tensor<1x4xi32> -> tensor<8x4xi32>
  %xp = tt.addptr %xb, %cb : tensor<8x4x!tt.ptr<i32>>, tensor<8x4xi32>
  %v = tt.load %xp, %mask, %none : tensor<8x4x!tt.ptr<i32>>
  %begin = arith.muli %p, %size : i32
  %ys = tt.addptr %y, %begin : !tt.ptr<i32>, i32
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %to = arith.muli %r1, %four : tensor<8x1xi32>
  %tb = tt.broadcast %to : tensor<8x1xi32> -> tensor<8x4xi32>
  %place = arith.addi %tb, %cb : tensor<8x4xi32>
  %yb = tt.splat %ys : !tt.ptr<i32> -> tensor<8x4x!tt.ptr<i32>>
  %yp = tt.addptr %yb, %place : tensor<8x4x!tt.ptr<i32>>, tensor<8x4xi32>
  tt.store %yp, %v : tensor<8x4x!tt.ptr<i32>>
  tt.return
}
