// Elements of a tensor by index, along both axes, and counts with and without a mask.
// RUN: for t in cpu reference; do kiln-run %s --entry=gather --target=$t --grid=1 --arg=zeros:i32:2x8 --arg=zeros:i32:4x4 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 0 81 324 729 16 169 484 961 0 81 324 729 16 169 484 961 && %python %S/Inputs/check.py %t.1.npy 0 9 36 1 144 225 100 169 256 361 484 289 784 961 676 841 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=histogram --target=$t --grid=1 --arg=zeros:i32:8 --arg=zeros:i32:8 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 3 3 3 3 2 3 3 3 && %python %S/Inputs/check.py %t.1.npy 2 2 2 2 1 2 2 2 || exit 1; done
tt.func public @gather(%y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %x = arith.muli %r32, %r32 : tensor<32xi32>
  %m = tt.reshape %x : tensor<32xi32> -> tensor<4x8xi32>
  %c3 = arith.constant dense<3> : tensor<16xi32>
  %c4 = arith.constant dense<4> : tensor<16xi32>
  %c5 = arith.constant dense<5> : tensor<16xi32>
  %c8 = arith.constant dense<8> : tensor<16xi32>
  %r5 = arith.muli %r, %c5 : tensor<16xi32>
  %m5 = arith.remsi %r5, %c4 : tensor<16xi32>
  %i = tt.reshape %m5 : tensor<16xi32> -> tensor<2x8xi32>
  %r3 = arith.muli %r, %c3 : tensor<16xi32>
  %m3 = arith.remsi %r3, %c8 : tensor<16xi32>
  %j = tt.reshape %m3 : tensor<16xi32> -> tensor<4x4xi32>
  %a = tt.gather %m[%i] {axis = 0 : i32} : (tensor<4x8xi32>, tensor<2x8xi32>) -> tensor<2x8xi32>
  %b = tt.gather %m[%j] {axis = 1 : i32} : (tensor<4x8xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %af = tt.reshape %a : tensor<2x8xi32> -> tensor<16xi32>
  %bf = tt.reshape %b : tensor<4x4xi32> -> tensor<16xi32>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %yop, %af : tensor<16x!tt.ptr<i32>>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %zop, %bf : tensor<16x!tt.ptr<i32>>
  tt.return
}
// Values from 8 on are not counted.
tt.func public @histogram(%y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c7 = arith.constant dense<7> : tensor<32xi32>
  %c11 = arith.constant dense<11> : tensor<32xi32>
  %c20 = arith.constant dense<20> : tensor<32xi32>
  %r7 = arith.muli %r32, %c7 : tensor<32xi32>
  %v = arith.remsi %r7, %c11 : tensor<32xi32>
  %m = arith.cmpi slt, %r32, %c20 : tensor<32xi32>
  %h = tt.histogram %v : tensor<32xi32> -> tensor<8xi32>
  %k = tt.histogram %v, %m : tensor<32xi32> -> tensor<8xi32>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yop, %h : tensor<8x!tt.ptr<i32>>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %k : tensor<8x!tt.ptr<i32>>
  tt.return
}
