// Maps of elements with choices, loops and packs in their regions.
// RUN: kiln-run %s --entry=compare --target=cpu --check --grid=1 --arg=%S/Inputs/rows.npy --arg=random:2:i32:8 --arg=zeros:i32:8
// RUN: kiln-run %s --entry=steps --target=cpu --grid=1 --arg=zeros:i32:16 --save=0:%t.npy
// RUN: %python %S/Inputs/check.py %t.npy 0 0 1 7 2 5 8 16 3 19 6 14 9 9 17 17
// RUN: kiln-run %s --entry=steps --target=cpu --check --grid=1 --arg=zeros:i32:16
// RUN: kiln-run %s --entry=packs --target=cpu --check --grid=1 --arg=zeros:i32:2x4 --arg=zeros:i32:2x4
// RUN: kiln-run %s --entry=packs --target=cpu --grid=1 --arg=zeros:i32:2x4 --arg=zeros:i32:2x4 --save=0:%t.npy
// RUN: %python %S/Inputs/check.py %t.npy 1 0 5 6 9 20 13 42

// As Triton prints it: blocks in the region, several branches to one.
tt.func public @compare(%X: !tt.ptr<i32>, %Y: !tt.ptr<i32>, %Z: !tt.ptr<i32>) {
  %c-1_i32 = arith.constant -1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %xs = tt.splat %X : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %x = tt.load %xp : tensor<8x!tt.ptr<i32>>
  %ys = tt.splat %Y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %y = tt.load %yp : tensor<8x!tt.ptr<i32>>
  %z = "tt.map_elementwise"(%x, %y) <{pack = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    cf.cond_br %less, ^bb2(%c-1_i32 : i32), ^bb1
  ^bb1:
    %same = arith.cmpi eq, %a, %b : i32
    cf.cond_br %same, ^bb2(%c0_i32 : i32), ^bb2(%c1_i32 : i32)
  ^bb2(%v: i32):
    tt.map_elementwise.return %v : i32
  }) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %zs = tt.splat %Z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zp = tt.addptr %zs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zp, %z : tensor<8x!tt.ptr<i32>>
  tt.return
}

// Steps of the Collatz sequence down to 1; 0 counts as 0 steps. Every element leaves the loop at another time.
tt.func public @steps(%Z: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %z = "tt.map_elementwise"(%r) <{pack = 1 : i32}> ({
  ^bb0(%n: i32):
    %zero = arith.cmpi eq, %n, %c0 : i32
    %count = scf.if %zero -> i32 {
      scf.yield %c0 : i32
    } else {
      %loop:2 = scf.while (%m = %n, %k = %c0) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %m, %c1 : i32
        scf.condition(%more) %m, %k : i32, i32
      } do {
      ^bb0(%m: i32, %k: i32):
        %half = arith.divsi %m, %c2 : i32
        %odd = arith.remsi %m, %c2 : i32
        %isOdd = arith.cmpi eq, %odd, %c1 : i32
        %next = scf.if %isOdd -> i32 {
          %three = arith.muli %m, %c3 : i32
          %up = arith.addi %three, %c1 : i32
          scf.yield %up : i32
        } else {
          scf.yield %half : i32
        }
        %k1 = arith.addi %k, %c1 : i32
        scf.yield %next, %k1 : i32, i32
      }
      scf.yield %loop#1 : i32
    }
    tt.map_elementwise.return %count : i32
  }) : (tensor<16xi32>) -> tensor<16xi32>
  %zs = tt.splat %Z : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %zp = tt.addptr %zs, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %zp, %z : tensor<16x!tt.ptr<i32>>
  tt.return
}

// Pairs of elements, two results: their sum and their product, then a loop whose length is an element.
tt.func public @packs(%X: !tt.ptr<i32>, %Y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %m = tt.reshape %r : tensor<8xi32> -> tensor<2x4xi32>
  %z:2 = "tt.map_elementwise"(%m) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    %p = arith.muli %a, %b : i32
    %t = scf.for %i = %c0 to %b step %c1 iter_args(%u = %c0) -> (i32) : i32 {
      %w = arith.addi %u, %i : i32
      scf.yield %w : i32
    }
    tt.map_elementwise.return %s, %p, %t, %a : i32, i32, i32, i32
  }) : (tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>)
  %xs = tt.splat %X : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.reshape %z#0 : tensor<2x4xi32> -> tensor<8xi32>
  tt.store %xp, %v : tensor<8x!tt.ptr<i32>>
  %ys = tt.splat %Y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %w = tt.reshape %z#1 : tensor<2x4xi32> -> tensor<8xi32>
  tt.store %yp, %w : tensor<8x!tt.ptr<i32>>
  tt.return
}
