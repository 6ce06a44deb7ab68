// Functions with several results, early returns out of loops and choices, loops with a condition.
// RUN: for t in cpu reference; do kiln-run %s --entry=minmax --target=$t --grid=1 --arg=zeros:i32:8 --arg=zeros:i32:8 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 0 1 2 3 3 2 1 0 && %python %S/Inputs/check.py %t.1.npy 7 6 5 4 4 5 6 7 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=gcd --target=$t --grid=6 --arg=zeros:i32:6 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 28 2 4 2 4 2 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=early --target=$t --grid=6 --arg=zeros:i32:6 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 1 1 2 6 -1 0 || exit 1; done
tt.func private @ordered(%a: tensor<8xi32>, %b: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) attributes {noinline = true} {
  %less = arith.cmpi slt, %a, %b : tensor<8xi32>
  %lo = arith.select %less, %a, %b : tensor<8xi1>, tensor<8xi32>
  %hi = arith.select %less, %b, %a : tensor<8xi1>, tensor<8xi32>
  tt.return %lo, %hi : tensor<8xi32>, tensor<8xi32>
}
tt.func private @gcd_of(%a: i32, %b: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %r:2 = scf.while (%x = %a, %y = %b) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %y, %c0 : i32
    scf.condition(%more) %x, %y : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    %rest = arith.remsi %x, %y : i32
    scf.yield %y, %rest : i32, i32
  }
  tt.return %r#0 : i32
}
// The factorial, but -1 from 4 on, with an early return in a loop of blocks.
tt.func private @factorial(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %bad = arith.constant -1 : i32
  cf.br ^bb1(%c1, %c1 : i32, i32)
^bb1(%k: i32, %p: i32):
  %more = arith.cmpi sle, %k, %n : i32
  cf.cond_br %more, ^bb2, ^bb4
^bb2:
  %large = arith.cmpi sge, %k, %c4 : i32
  cf.cond_br %large, ^bb5, ^bb3
^bb3:
  %q = arith.muli %p, %k : i32
  %k1 = arith.addi %k, %c1 : i32
  cf.br ^bb1(%k1, %q : i32, i32)
^bb4:
  tt.return %p : i32
^bb5:
  tt.return %bad : i32
}
tt.func public @minmax(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c7 = arith.constant dense<7> : tensor<8xi32>
  %back = arith.subi %c7, %r : tensor<8xi32>
  %o:2 = tt.call @ordered(%r, %back) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  %xos = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xop = tt.addptr %xos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %xop, %o#0 : tensor<8x!tt.ptr<i32>>
  %yos = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %yop, %o#1 : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @gcd(%x: !tt.ptr<i32>) {
  %c6 = arith.constant 6 : i32
  %c28 = arith.constant 28 : i32
  %pid = tt.get_program_id x : i32
  %a = arith.muli %pid, %c6 : i32
  %g = tt.call @gcd_of(%a, %c28) : (i32, i32) -> i32
  %p = tt.addptr %x, %pid : !tt.ptr<i32>, i32
  tt.store %p, %g : !tt.ptr<i32>
  tt.return
}
// The last instance returns before it stores.
tt.func public @early(%x: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %pid = tt.get_program_id x : i32
  %count = tt.get_num_programs x : i32
  %last = arith.subi %count, %c1 : i32
  %isLast = arith.cmpi eq, %pid, %last : i32
  cf.cond_br %isLast, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  %f = tt.call @factorial(%pid) : (i32) -> i32
  %p = tt.addptr %x, %pid : !tt.ptr<i32>, i32
  tt.store %p, %f : !tt.ptr<i32>
  tt.return
}
