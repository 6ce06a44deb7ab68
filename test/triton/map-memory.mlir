// A map whose region reads and writes memory: every element follows the table as many steps as its index says.
// RUN: for t in cpu reference; do kiln-run %s --target=$t --grid=1 --arg=%S/Inputs/rows.npy --arg=zeros:i32:8 --arg=zeros:i32:8 --save=1:%t.1.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.1.npy 0 0 3 3 5 3 3 3 && %python %S/Inputs/check.py %t.2.npy 0 0 2 3 0 0 6 0 || exit 1; done
tt.func public @follow(%table: !tt.ptr<i32>, %out: !tt.ptr<i32>, %even: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %es = tt.splat %even : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %ep = tt.addptr %es, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %at = "tt.map_elementwise"(%r, %ep) <{pack = 1 : i32}> ({
  ^bb0(%n: i32, %e: !tt.ptr<i32>):
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %n) -> (i32) : i32 {
      %q = tt.addptr %table, %p : !tt.ptr<i32>, i32
      %next = tt.load %q : !tt.ptr<i32>
      scf.yield %next : i32
    }
    // Elements 2, 3 and 6 leave a mark, in a branch and under a mask.
    %bit = arith.shrsi %n, %c1 : i32
    %and = arith.andi %bit, %c1 : i32
    %on = arith.cmpi eq, %and, %c1 : i32
    cf.cond_br %on, ^bb1, ^bb2
  ^bb1:
    %odd = arith.andi %n, %c1 : i32
    %keep = arith.cmpi eq, %odd, %c0 : i32
    %near = arith.cmpi sle, %n, %c3 : i32
    %mask = arith.ori %keep, %near : i1
    tt.store %e, %n, %mask : !tt.ptr<i32>
    cf.br ^bb2
  ^bb2:
    tt.map_elementwise.return %last : i32
  }) : (tensor<8xi32>, tensor<8x!tt.ptr<i32>>) -> tensor<8xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %op, %at : tensor<8x!tt.ptr<i32>>
  tt.return
}
