// A bitonic network with a dimension for each bit of an index, as tl.sort prints it: the other one of a pair is found by
// exclusive or. No tile of three dimensions is left.
// RUN: for t in cpu reference; do kiln-run %s --target=$t --grid=1 --arg=%S/Inputs/unsorted.npy --arg=zeros:f32:8 --save=1:%t.1.npy && %python %S/Inputs/check.py %t.1.npy -6 -5 -1 1 2.5 3 4 9 || exit 1; done
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-find-exchanges),canonicalize,cse)' | FileCheck %s
// CHECK-NOT: tile.reduce
// CHECK-NOT: tile.reshape
// CHECK-COUNT-6: tile.exchange {{.*}} : tensor<8xf32>
// CHECK-NOT: tile.exchange
tt.func private @swap0(%h: tensor<2x2x2xf32>, %flip: tensor<2x2x2xi32>) -> tensor<2x2x2xf32> attributes {noinline = false} {
  %x = tt.bitcast %h : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
  %pairs = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.xori %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  %e = tt.expand_dims %pairs {axis = 0 : i32} : tensor<2x2xi32> -> tensor<1x2x2xi32>
  %w = tt.broadcast %e : tensor<1x2x2xi32> -> tensor<2x2x2xi32>
  %other = arith.xori %x, %w : tensor<2x2x2xi32>
  %y = tt.bitcast %other : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %r1 = tt.reshape %r : tensor<2xi32> -> tensor<2x1x1xi32>
  %right = tt.broadcast %r1 : tensor<2x1x1xi32> -> tensor<2x2x2xi32>
  %wants = arith.xori %flip, %right : tensor<2x2x2xi32>
  %more = arith.cmpf ogt, %h, %y : tensor<2x2x2xf32>
  %morei = arith.extui %more : tensor<2x2x2xi1> to tensor<2x2x2xi32>
  %swaps = arith.cmpi ne, %morei, %wants : tensor<2x2x2xi32>
  %result = arith.select %swaps, %y, %h : tensor<2x2x2xi1>, tensor<2x2x2xf32>
  tt.return %result : tensor<2x2x2xf32>
}
tt.func private @swap1(%h: tensor<2x2x2xf32>, %flip: tensor<2x2x2xi32>) -> tensor<2x2x2xf32> attributes {noinline = false} {
  %x = tt.bitcast %h : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
  %pairs = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.xori %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  %e = tt.expand_dims %pairs {axis = 1 : i32} : tensor<2x2xi32> -> tensor<2x1x2xi32>
  %w = tt.broadcast %e : tensor<2x1x2xi32> -> tensor<2x2x2xi32>
  %other = arith.xori %x, %w : tensor<2x2x2xi32>
  %y = tt.bitcast %other : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %r1 = tt.reshape %r : tensor<2xi32> -> tensor<1x2x1xi32>
  %right = tt.broadcast %r1 : tensor<1x2x1xi32> -> tensor<2x2x2xi32>
  %wants = arith.xori %flip, %right : tensor<2x2x2xi32>
  %more = arith.cmpf ogt, %h, %y : tensor<2x2x2xf32>
  %morei = arith.extui %more : tensor<2x2x2xi1> to tensor<2x2x2xi32>
  %swaps = arith.cmpi ne, %morei, %wants : tensor<2x2x2xi32>
  %result = arith.select %swaps, %y, %h : tensor<2x2x2xi1>, tensor<2x2x2xf32>
  tt.return %result : tensor<2x2x2xf32>
}
tt.func private @swap2(%h: tensor<2x2x2xf32>, %flip: tensor<2x2x2xi32>) -> tensor<2x2x2xf32> attributes {noinline = false} {
  %x = tt.bitcast %h : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
  %pairs = "tt.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.xori %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  %e = tt.expand_dims %pairs {axis = 2 : i32} : tensor<2x2xi32> -> tensor<2x2x1xi32>
  %w = tt.broadcast %e : tensor<2x2x1xi32> -> tensor<2x2x2xi32>
  %other = arith.xori %x, %w : tensor<2x2x2xi32>
  %y = tt.bitcast %other : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %r1 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x2xi32>
  %right = tt.broadcast %r1 : tensor<1x1x2xi32> -> tensor<2x2x2xi32>
  %wants = arith.xori %flip, %right : tensor<2x2x2xi32>
  %more = arith.cmpf ogt, %h, %y : tensor<2x2x2xf32>
  %morei = arith.extui %more : tensor<2x2x2xi1> to tensor<2x2x2xi32>
  %swaps = arith.cmpi ne, %morei, %wants : tensor<2x2x2xi32>
  %result = arith.select %swaps, %y, %h : tensor<2x2x2xi1>, tensor<2x2x2xf32>
  tt.return %result : tensor<2x2x2xf32>
}
tt.func public @sort(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %t = tt.load %xp : tensor<8x!tt.ptr<f32>>
  %v0 = tt.reshape %t : tensor<8xf32> -> tensor<2x2x2xf32>
  %up = arith.constant dense<0> : tensor<2x2x2xi32>
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %m = tt.reshape %r : tensor<2xi32> -> tensor<1x2x1xi32>
  %middle = tt.broadcast %m : tensor<1x2x1xi32> -> tensor<2x2x2xi32>
  %f = tt.reshape %r : tensor<2xi32> -> tensor<2x1x1xi32>
  %first = tt.broadcast %f : tensor<2x1x1xi32> -> tensor<2x2x2xi32>
  %v1 = tt.call @swap2(%v0, %middle) : (tensor<2x2x2xf32>, tensor<2x2x2xi32>) -> tensor<2x2x2xf32>
  %v2 = tt.call @swap1(%v1, %first) : (tensor<2x2x2xf32>, tensor<2x2x2xi32>) -> tensor<2x2x2xf32>
  %v3 = tt.call @swap2(%v2, %first) : (tensor<2x2x2xf32>, tensor<2x2x2xi32>) -> tensor<2x2x2xf32>
  %v4 = tt.call @swap0(%v3, %up) : (tensor<2x2x2xf32>, tensor<2x2x2xi32>) -> tensor<2x2x2xf32>
  %v5 = tt.call @swap1(%v4, %up) : (tensor<2x2x2xf32>, tensor<2x2x2xi32>) -> tensor<2x2x2xf32>
  %v6 = tt.call @swap2(%v5, %up) : (tensor<2x2x2xf32>, tensor<2x2x2xi32>) -> tensor<2x2x2xf32>
  %flat = tt.reshape %v6 : tensor<2x2x2xf32> -> tensor<8xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %yp, %flat : tensor<8x!tt.ptr<f32>>
  tt.return
}
