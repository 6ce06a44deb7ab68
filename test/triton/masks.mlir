// Masks that are made as vectors and then put along the dimensions bound them like any others.
// RUN: kiln-run %s --target=cpu --check --grid=1 --arg=random:1:f32:20x30 --arg=zeros:f32:16x16 --arg=i32:9 --arg=i32:13
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views{report=true}))' 2>&1 | FileCheck %s
// CHECK-COUNT-2: remark: view
// CHECK-NOT: remark: {{gather|scatter|pointers}}
tt.func public @corner(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c30 = arith.constant dense<30> : tensor<16x1xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %two = arith.constant dense<2> : tensor<16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ms = tt.splat %m : i32 -> tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %below = arith.cmpi slt, %r, %ms : tensor<16xi32>
  %above = arith.cmpi sge, %r, %two : tensor<16xi32>
  %rows = arith.andi %below, %above : tensor<16xi1>
  %columns = arith.cmpi slt, %r, %ns : tensor<16xi32>
  %rc = tt.expand_dims %rows {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %cr = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi1> -> tensor<1x16xi1>
  %rb = tt.broadcast %rc : tensor<16x1xi1> -> tensor<16x16xi1>
  %cb = tt.broadcast %cr : tensor<1x16xi1> -> tensor<16x16xi1>
  %mask = arith.andi %rb, %cb : tensor<16x16xi1>
  %i = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %j = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %jb = tt.broadcast %j : tensor<1x16xi32> -> tensor<16x16xi32>
  %fi = arith.muli %i, %c30 : tensor<16x1xi32>
  %fb = tt.broadcast %fi : tensor<16x1xi32> -> tensor<16x16xi32>
  %from = arith.addi %fb, %jb : tensor<16x16xi32>
  %ti = arith.muli %i, %c16 : tensor<16x1xi32>
  %tb = tt.broadcast %ti : tensor<16x1xi32> -> tensor<16x16xi32>
  %to = arith.addi %tb, %jb : tensor<16x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %from : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %v = tt.load %xp, %mask, %zero : tensor<16x16x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %to : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %yp, %v, %mask : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
