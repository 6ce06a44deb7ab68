// The first of several smallest elements, and each axis of three.
// RUN: for t in cpu reference; do kiln-run %s --entry=argmin --target=$t --grid=1 --arg=%S/Inputs/ties.npy --arg=zeros:i32:4 --arg=zeros:f32:4 --arg=zeros:i32:4 --save=1:%t.1.npy --save=2:%t.2.npy --save=3:%t.3.npy && %python %S/Inputs/check.py %t.1.npy 1 2 0 2 && %python %S/Inputs/check.py %t.2.npy 1 0 0 5 && %python %S/Inputs/check.py %t.3.npy 3 2 2 3 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=axes --target=$t --grid=1 --arg=zeros:i32:16 --arg=zeros:i32:8 --arg=zeros:i32:8 --arg=zeros:i32:1 --save=0:%t.0.npy --save=1:%t.1.npy --save=2:%t.2.npy --save=3:%t.3.npy && %python %S/Inputs/check.py %t.0.npy 12 5 15 25 18 11 21 14 7 17 27 20 13 23 16 9 && %python %S/Inputs/check.py %t.1.npy 9 14 16 15 15 9 14 16 && %python %S/Inputs/check.py %t.2.npy 0 1 4 2 0 3 1 2 && %python %S/Inputs/check.py %t.3.npy 253 || exit 1; done
tt.func public @argmin(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>, %v: !tt.ptr<f32>, %j: !tt.ptr<i32>) {
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %ls = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %lp = tt.addptr %ls, %r16 : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %l = tt.load %lp : tensor<16x!tt.ptr<f32>>
  %m = tt.reshape %l : tensor<16xf32> -> tensor<4x4xf32>
  %row = tt.expand_dims %r {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %columns = tt.broadcast %row : tensor<1x4xi32> -> tensor<4x4xi32>
  %rows = tt.trans %columns {order = array<i32: 1, 0>} : tensor<4x4xi32> -> tensor<4x4xi32>
  %least:2 = "tt.reduce"(%m, %columns) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %pi: i32, %q: f32, %qi: i32):
    %equal = arith.cmpf oeq, %p, %q : f32
    %lower = arith.cmpi slt, %pi, %qi : i32
    %tie = arith.andi %equal, %lower : i1
    %better = arith.cmpf olt, %p, %q : f32
    %first = arith.ori %better, %tie : i1
    %w = arith.select %first, %p, %q : f32
    %wi = arith.select %first, %pi, %qi : i32
    tt.reduce.return %w, %wi : f32, i32
  }) : (tensor<4x4xf32>, tensor<4x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %most:2 = "tt.reduce"(%m, %rows) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %pi: i32, %q: f32, %qi: i32):
    %equal = arith.cmpf oeq, %p, %q : f32
    %lower = arith.cmpi slt, %pi, %qi : i32
    %tie = arith.andi %equal, %lower : i1
    %better = arith.cmpf ogt, %p, %q : f32
    %first = arith.ori %better, %tie : i1
    %w = arith.select %first, %p, %q : f32
    %wi = arith.select %first, %pi, %qi : i32
    tt.reduce.return %w, %wi : f32, i32
  }) : (tensor<4x4xf32>, tensor<4x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %ios = tt.splat %i : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %iop = tt.addptr %ios, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %iop, %least#1 : tensor<4x!tt.ptr<i32>>
  %vos = tt.splat %v : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %vop = tt.addptr %vos, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.store %vop, %least#0 : tensor<4x!tt.ptr<f32>>
  %jos = tt.splat %j : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %jop = tt.addptr %jos, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %jop, %most#1 : tensor<4x!tt.ptr<i32>>
  tt.return
}
tt.func public @axes(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>, %w: !tt.ptr<i32>) {
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c5 = arith.constant dense<5> : tensor<32xi32>
  %c17 = arith.constant dense<17> : tensor<32xi32>
  %r5 = arith.muli %r32, %c5 : tensor<32xi32>
  %v = arith.remsi %r5, %c17 : tensor<32xi32>
  %t = tt.reshape %v : tensor<32xi32> -> tensor<2x4x4xi32>
  %s = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x4x4xi32>) -> tensor<4x4xi32>
  %m = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x4x4xi32>) -> tensor<2x4xi32>
  %n = "tt.reduce"(%t) <{axis = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.minsi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x4x4xi32>) -> tensor<2x4xi32>
  %all = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<32xi32>) -> i32
  %sf = tt.reshape %s : tensor<4x4xi32> -> tensor<16xi32>
  %mf = tt.reshape %m : tensor<2x4xi32> -> tensor<8xi32>
  %nf = tt.reshape %n : tensor<2x4xi32> -> tensor<8xi32>
  %xos = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %xop = tt.addptr %xos, %r16 : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %xop, %sf : tensor<16x!tt.ptr<i32>>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r8 : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yop, %mf : tensor<8x!tt.ptr<i32>>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r8 : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %nf : tensor<8x!tt.ptr<i32>>
  tt.store %w, %all : !tt.ptr<i32>
  tt.return
}
