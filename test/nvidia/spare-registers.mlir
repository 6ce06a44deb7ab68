// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas
// Where ptxas stores registers although it gives threads fewer than they may have, the kernel is assembled for one block of a core, with all
// registers. Left alone, ptxas gives this one 32 and stores 5592 bytes of them: it keeps to few around the code that divides.
// RUN: kiln-compile %s --target=nvidia:sm_90a,warps=8 --no-fallback -o %t.kpkg
// RUN: kiln-run %t.kpkg --inspect | FileCheck %s
// CHECK: registers: {{(1[3-9]|2[0-9])[0-9]$}}
// CHECK: spill_store_bytes: {{[0-9]?[0-9]?[0-9]?$|[12][0-9][0-9][0-9]$}}
tt.func public @quotients(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64, %stride: i64, %step: i64, %high: i64, %wide: i64, %under: i64, %skip: i64, %under2: i64, %skip2: i64) {
  %id = tt.get_program_id x : i32
  %id64 = arith.extsi %id : i32 to i64
  %block = arith.divsi %id64, %stride : i64
  %place = arith.remsi %id64, %stride : i64
  %down = tt.splat %block : i64 -> tensor<8xi64>
  %right = tt.splat %place : i64 -> tensor<2048xi64>
  %i0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %i2 = arith.extsi %i0 : tensor<8xi32> to tensor<8xi64>
  %i1 = arith.addi %i2, %down : tensor<8xi64>
  %i = tt.expand_dims %i1 {axis = 1 : i32} : tensor<8xi64> -> tensor<8x1xi64>
  %j0 = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %j2 = arith.extsi %j0 : tensor<2048xi32> to tensor<2048xi64>
  %j1 = arith.addi %j2, %right : tensor<2048xi64>
  %j = tt.expand_dims %j1 {axis = 0 : i32} : tensor<2048xi64> -> tensor<1x2048xi64>
  %m = tt.splat %rows : i64 -> tensor<8x1xi64>
  %n = tt.splat %columns : i64 -> tensor<1x2048xi64>
  %s = tt.splat %stride : i64 -> tensor<8x1xi64>
  %a = arith.divsi %i, %m : tensor<8x1xi64>
  %b = arith.divsi %j, %n : tensor<1x2048xi64>
  %c = arith.remsi %i, %m : tensor<8x1xi64>
  %d = arith.remsi %j, %n : tensor<1x2048xi64>
  %as = arith.muli %a, %s : tensor<8x1xi64>
  %u = tt.splat %under : i64 -> tensor<8x1xi64>
  %cs = arith.muli %c, %u : tensor<8x1xi64>
  %u2 = tt.splat %under2 : i64 -> tensor<8x1xi64>
  %is = arith.muli %i, %u2 : tensor<8x1xi64>
  %t = tt.splat %step : i64 -> tensor<1x2048xi64>
  %bs = arith.muli %b, %t : tensor<1x2048xi64>
  %v = tt.splat %skip : i64 -> tensor<1x2048xi64>
  %ds = arith.muli %d, %v : tensor<1x2048xi64>
  %v2 = tt.splat %skip2 : i64 -> tensor<1x2048xi64>
  %js = arith.muli %j, %v2 : tensor<1x2048xi64>
  %aw = tt.broadcast %as : tensor<8x1xi64> -> tensor<8x2048xi64>
  %bw = tt.broadcast %bs : tensor<1x2048xi64> -> tensor<8x2048xi64>
  %cw = tt.broadcast %cs : tensor<8x1xi64> -> tensor<8x2048xi64>
  %dw = tt.broadcast %ds : tensor<1x2048xi64> -> tensor<8x2048xi64>
  %iw = tt.broadcast %is : tensor<8x1xi64> -> tensor<8x2048xi64>
  %jw = tt.broadcast %js : tensor<1x2048xi64> -> tensor<8x2048xi64>
  %p = arith.addi %aw, %bw : tensor<8x2048xi64>
  %q = arith.addi %cw, %dw : tensor<8x2048xi64>
  %r = arith.addi %iw, %jw : tensor<8x2048xi64>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x2048x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x2048x!tt.ptr<f32>>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<8x2048x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %p : tensor<8x2048x!tt.ptr<f32>>, tensor<8x2048xi64>
  %yp = tt.addptr %ys, %q : tensor<8x2048x!tt.ptr<f32>>, tensor<8x2048xi64>
  %zp = tt.addptr %zs, %r : tensor<8x2048x!tt.ptr<f32>>, tensor<8x2048xi64>
  %h = tt.splat %high : i64 -> tensor<8x1xi64>
  %w = tt.splat %wide : i64 -> tensor<1x2048xi64>
  %mi = arith.cmpi slt, %i, %h : tensor<8x1xi64>
  %nj = arith.cmpi slt, %j, %w : tensor<1x2048xi64>
  %mw = tt.broadcast %mi : tensor<8x1xi1> -> tensor<8x2048xi1>
  %nw = tt.broadcast %nj : tensor<1x2048xi1> -> tensor<8x2048xi1>
  %k = arith.andi %mw, %nw : tensor<8x2048xi1>
  %xv = tt.load %xp, %k : tensor<8x2048x!tt.ptr<f32>>
  %yv = tt.load %yp, %k : tensor<8x2048x!tt.ptr<f32>>
  %zv = arith.mulf %xv, %yv : tensor<8x2048xf32>
  tt.store %zp, %zv, %k : tensor<8x2048x!tt.ptr<f32>>
  tt.return
}
