// Stores by index become scatters, also where computed indices are negative; the results are those of pointers.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/to.npy', np.array([5, 1, 0, 3, 6, 7, 4, 2], np.int32)); np.save('%t/back.npy', np.array([-5, -1, 0, -3, -6, -7, -4, -2], np.int32))"
// RUN: kiln-run %s --entry=rows --target=cpu --check --grid=1 --arg=random:1:f32:8x16 --arg=%t/to.npy --arg=zeros:f32:8x16 --arg=i32:5 --save=2:%t/rows.npy
// RUN: kiln-run %s --entry=rows --target=cpu -X --no-recover-views --grid=1 --arg=random:1:f32:8x16 --arg=%t/to.npy --arg=zeros:f32:8x16 --arg=i32:5 --save=2:%t/pointers.npy
// RUN: cmp %t/rows.npy %t/pointers.npy
// RUN: kiln-run %s --entry=below --target=cpu --check --grid=1 --arg=random:1:f32:8 --arg=%t/back.npy --arg=zeros:f32:8 --save=2:%t/below.npy
// RUN: kiln-run %s --entry=below --target=cpu -X --no-recover-views --grid=1 --arg=random:1:f32:8 --arg=%t/back.npy --arg=zeros:f32:8 --save=2:%t/pointers.npy
// RUN: cmp %t/below.npy %t/pointers.npy
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views{report=true}),canonicalize)' 2>&1 | FileCheck %s
// CHECK: remark: view
// CHECK: remark: view
// CHECK: remark: scatter
// CHECK: remark: view
// CHECK: remark: gather
// CHECK: remark: scatter
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.store_scatter %{{.*}} dim 0 by %{{.*}} : tensor<8x16xf32>, {{.*}}, tensor<8xi64>
tt.func public @rows(%x: !tt.ptr<f32>, %index: !tt.ptr<i32>, %y: !tt.ptr<f32>, %n: i32) {
  %w = arith.constant dense<16> : tensor<8x1xi32>
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %is = tt.splat %index : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %ip = tt.addptr %is, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %row = tt.load %ip : tensor<8x!tt.ptr<i32>>
  %ic = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %io = arith.muli %ic, %w : tensor<8x1xi32>
  %rc = tt.expand_dims %row {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %ro = arith.muli %rc, %w : tensor<8x1xi32>
  %jr = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %jb = tt.broadcast %jr : tensor<1x16xi32> -> tensor<8x16xi32>
  %ib = tt.broadcast %io : tensor<8x1xi32> -> tensor<8x16xi32>
  %rb = tt.broadcast %ro : tensor<8x1xi32> -> tensor<8x16xi32>
  %from = arith.addi %ib, %jb : tensor<8x16xi32>
  %to = arith.addi %rb, %jb : tensor<8x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %from : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  %v = tt.load %xp : tensor<8x16x!tt.ptr<f32>>
  // Rows below n only.
  %ns = tt.splat %n : i32 -> tensor<8x1xi32>
  %on = arith.cmpi slt, %ic, %ns : tensor<8x1xi32>
  %mask = tt.broadcast %on : tensor<8x1xi1> -> tensor<8x16xi1>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %to : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %yp, %v, %mask : tensor<8x16x!tt.ptr<f32>>
  tt.return
}

tt.func public @below(%x: !tt.ptr<f32>, %index: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %c7 = arith.constant 7 : i32
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %is = tt.splat %index : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %ip = tt.addptr %is, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %back = tt.load %ip : tensor<8x!tt.ptr<i32>>
  %last = tt.addptr %x, %c7 : !tt.ptr<f32>, i32
  %xs = tt.splat %last : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %back : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %xp : tensor<8x!tt.ptr<f32>>
  %end = tt.addptr %y, %c7 : !tt.ptr<f32>, i32
  %ys = tt.splat %end : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %back : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %yp, %v : tensor<8x!tt.ptr<f32>>
  tt.return
}
