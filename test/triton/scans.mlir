// Scans of several operands, in reverse, along each axis.
// RUN: for t in cpu reference; do kiln-run %s --entry=recurrence --target=$t --grid=1 --arg=%S/Inputs/factors.npy --arg=zeros:i32:8 --arg=zeros:i32:8 --save=1:%t.1.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.1.npy 0 1 5 8 20 25 31 69 && %python %S/Inputs/check.py %t.2.npy 264 132 131 43 40 18 13 7 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=axes --target=$t --grid=1 --arg=zeros:i32:2x8 --arg=zeros:i32:2x8 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 28 28 27 25 22 18 13 7 92 84 75 65 54 42 29 15 && %python %S/Inputs/check.py %t.1.npy 0 1 2 3 4 5 6 7 8 10 12 14 16 18 20 22 || exit 1; done
// h[i] = a[i] h[i - 1] + b[i]: pairs (a, b) combine as functions.
tt.func public @recurrence(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %as = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %ap = tt.addptr %as, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %a = tt.load %ap : tensor<8x!tt.ptr<i32>>
  %h:2 = "tt.scan"(%a, %r) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %a2 = arith.muli %a0, %a1 : i32
    %t = arith.muli %b0, %a1 : i32
    %b2 = arith.addi %t, %b1 : i32
    tt.scan.return %a2, %b2 : i32, i32
  }) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  %g:2 = "tt.scan"(%a, %r) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %a2 = arith.muli %a0, %a1 : i32
    %t = arith.muli %b0, %a1 : i32
    %b2 = arith.addi %t, %b1 : i32
    tt.scan.return %a2, %b2 : i32, i32
  }) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yop, %h#1 : tensor<8x!tt.ptr<i32>>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %g#1 : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @axes(%y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %m = tt.reshape %r : tensor<16xi32> -> tensor<2x8xi32>
  %u = "tt.scan"(%m) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<2x8xi32>) -> tensor<2x8xi32>
  %v = "tt.scan"(%m) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<2x8xi32>) -> tensor<2x8xi32>
  %uf = tt.reshape %u : tensor<2x8xi32> -> tensor<16xi32>
  %vf = tt.reshape %v : tensor<2x8xi32> -> tensor<16xi32>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %yop, %uf : tensor<16x!tt.ptr<i32>>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %zop, %vf : tensor<16x!tt.ptr<i32>>
  tt.return
}
