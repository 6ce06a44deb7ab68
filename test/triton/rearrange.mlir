// join, split, cat, trans of rank 3, expand_dims and broadcast.
// RUN: for t in cpu reference; do kiln-run %s --entry=join --target=$t --grid=1 --arg=zeros:i32:16 --arg=zeros:i32:16 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 0 100 1 101 2 102 3 103 4 104 5 105 6 106 7 107 && %python %S/Inputs/check.py %t.1.npy 100 101 102 103 104 105 106 107 0 1 2 3 4 5 6 7 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=trans --target=$t --grid=1 --arg=zeros:i32:16 --arg=zeros:i32:16 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15 && %python %S/Inputs/check.py %t.1.npy 0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=outer --target=$t --grid=1 --arg=zeros:i32:2x4 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 0 1 2 3 10 11 12 13 || exit 1; done
tt.func public @join(%y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %a = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c100 = arith.constant dense<100> : tensor<8xi32>
  %b = arith.addi %a, %c100 : tensor<8xi32>
  %j = tt.join %a, %b : tensor<8xi32> -> tensor<8x2xi32>
  %jf = tt.reshape %j : tensor<8x2xi32> -> tensor<16xi32>
  %lo, %hi = tt.split %j : tensor<8x2xi32> -> tensor<8xi32>
  %c = tt.cat %hi, %lo : tensor<8xi32> -> tensor<16xi32>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %yop, %jf : tensor<16x!tt.ptr<i32>>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %zop, %c : tensor<16x!tt.ptr<i32>>
  tt.return
}
tt.func public @trans(%y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %t = tt.reshape %r : tensor<16xi32> -> tensor<2x2x4xi32>
  %a = tt.trans %t {order = array<i32: 2, 0, 1>} : tensor<2x2x4xi32> -> tensor<4x2x2xi32>
  %b = tt.trans %t {order = array<i32: 1, 2, 0>} : tensor<2x2x4xi32> -> tensor<2x4x2xi32>
  %af = tt.reshape %a allow_reorder : tensor<4x2x2xi32> -> tensor<16xi32>
  %bf = tt.reshape %b : tensor<2x4x2xi32> -> tensor<16xi32>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %yop, %af : tensor<16x!tt.ptr<i32>>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %zop, %bf : tensor<16x!tt.ptr<i32>>
  tt.return
}
tt.func public @outer(%y: !tt.ptr<i32>) {
  %i = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %j = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c10 = arith.constant dense<10> : tensor<2x1xi32>
  %ic = tt.expand_dims %i {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %jr = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %i10 = arith.muli %ic, %c10 : tensor<2x1xi32>
  %ib = tt.broadcast %i10 : tensor<2x1xi32> -> tensor<2x4xi32>
  %jb = tt.broadcast %jr : tensor<1x4xi32> -> tensor<2x4xi32>
  %s = arith.addi %ib, %jb : tensor<2x4xi32>
  %f = tt.reshape %s : tensor<2x4xi32> -> tensor<8xi32>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yop, %f : tensor<8x!tt.ptr<i32>>
  tt.return
}
