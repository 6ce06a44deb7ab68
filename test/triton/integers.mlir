// Integers of all widths, and divisions by zero in lanes that a mask disables.
// RUN: for t in cpu reference; do kiln-run %s --entry=divide --target=$t --grid=1 --arg=zeros:i32:8 --arg=zeros:i32:8 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy -1 100 50 33 25 20 16 14 && %python %S/Inputs/check.py %t.1.npy 0 0 0 -1 0 0 -4 -2 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=bytes --target=$t --grid=1 --arg=zeros:i8:8 --arg=zeros:i32:8 --arg=zeros:i32:8 --arg=zeros:i8:8 --save=0:%t.0.npy --save=1:%t.1.npy --save=2:%t.2.npy --save=3:%t.3.npy && %python %S/Inputs/check.py %t.0.npy -92 1 16 -47 68 105 64 -55 && %python %S/Inputs/check.py %t.1.npy 90 127 -92 -55 -18 19 56 93 && %python %S/Inputs/check.py %t.2.npy 90 127 164 201 238 19 56 93 && %python %S/Inputs/check.py %t.3.npy 45 63 82 100 119 9 28 46 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=longs --target=$t --grid=1 --arg=zeros:i64:8 --arg=zeros:i1:8 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 5788148 -5200920 587228 6375376 -4613692 1174457 6962605 -4026463 && %python %S/Inputs/check.py %t.1.npy 1 0 1 0 1 0 1 0 || exit 1; done
tt.func public @divide(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %bad = arith.constant dense<-1> : tensor<8xi32>
  %c100 = arith.constant dense<100> : tensor<8xi32>
  %neg = arith.constant dense<-100> : tensor<8xi32>
  %m = arith.cmpi sgt, %r, %zero : tensor<8xi32>
  %q = arith.divsi %c100, %r : tensor<8xi32>
  %s = arith.remsi %neg, %r : tensor<8xi32>
  %c = arith.select %m, %q, %bad : tensor<8xi1>, tensor<8xi32>
  %xos = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xop = tt.addptr %xos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %xop, %c : tensor<8x!tt.ptr<i32>>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yop, %s, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @bytes(%x: !tt.ptr<i8>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>, %w: !tt.ptr<i8>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c37 = arith.constant dense<37> : tensor<8xi32>
  %c90 = arith.constant dense<90> : tensor<8xi32>
  %one = arith.constant dense<1> : tensor<8xi8>
  %r37 = arith.muli %r, %c37 : tensor<8xi32>
  %v = arith.addi %r37, %c90 : tensor<8xi32>
  %b = arith.trunci %v : tensor<8xi32> to tensor<8xi8>
  %bb = arith.muli %b, %b : tensor<8xi8>
  %signed = arith.extsi %b : tensor<8xi8> to tensor<8xi32>
  %unsigned = arith.extui %b : tensor<8xi8> to tensor<8xi32>
  %half = arith.shrui %b, %one : tensor<8xi8>
  %xos = tt.splat %x : !tt.ptr<i8> -> tensor<8x!tt.ptr<i8>>
  %xop = tt.addptr %xos, %r : tensor<8x!tt.ptr<i8>>, tensor<8xi32>
  tt.store %xop, %bb : tensor<8x!tt.ptr<i8>>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yop, %signed : tensor<8x!tt.ptr<i32>>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %unsigned : tensor<8x!tt.ptr<i32>>
  %wos = tt.splat %w : !tt.ptr<i8> -> tensor<8x!tt.ptr<i8>>
  %wop = tt.addptr %wos, %r : tensor<8x!tt.ptr<i8>>, tensor<8xi32>
  tt.store %wop, %half : tensor<8x!tt.ptr<i8>>
  tt.return
}
tt.func public @longs(%x: !tt.ptr<i64>, %y: !tt.ptr<i1>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %one = arith.constant dense<1> : tensor<8xi64>
  %c40 = arith.constant dense<40> : tensor<8xi64>
  %factor = arith.constant dense<6364136223846793005> : tensor<8xi64>
  %w = arith.extsi %r : tensor<8xi32> to tensor<8xi64>
  %w1 = arith.addi %w, %one : tensor<8xi64>
  %l = arith.muli %w1, %factor : tensor<8xi64>
  %h = arith.shrsi %l, %c40 : tensor<8xi64>
  %low = arith.andi %l, %one : tensor<8xi64>
  %odd = arith.cmpi eq, %low, %one : tensor<8xi64>
  %xos = tt.splat %x : !tt.ptr<i64> -> tensor<8x!tt.ptr<i64>>
  %xop = tt.addptr %xos, %r : tensor<8x!tt.ptr<i64>>, tensor<8xi32>
  tt.store %xop, %h : tensor<8x!tt.ptr<i64>>
  %yos = tt.splat %y : !tt.ptr<i1> -> tensor<8x!tt.ptr<i1>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<i1>>, tensor<8xi32>
  tt.store %yop, %odd : tensor<8x!tt.ptr<i1>>
  tt.return
}
