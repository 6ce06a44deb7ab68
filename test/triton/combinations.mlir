// Choices in the regions of reductions and scans, in functions that they call and as scf.
// RUN: kiln-run %s --entry=largest --target=cpu --check --grid=1 --arg=%S/Inputs/rows.npy --arg=zeros:i32:1 --save=1:%t.npy
// RUN: %python %S/Inputs/check.py %t.npy 7
// RUN: kiln-run %s --entry=segments --target=cpu --check --grid=1 --arg=zeros:i32:8 --save=0:%t.npy
// RUN: %python %S/Inputs/check.py %t.npy 0 1 3 3 7 12 6 13
// RUN: kiln-run %s --entry=asserted --target=cpu --check --grid=1 --arg=zeros:i32:1 --save=0:%t.npy
// RUN: %python %S/Inputs/check.py %t.npy 28
// RUN: kiln-compile %s --target=nvidia:sm_90a --no-fallback -o %t.kiln

tt.func private @max(%a: i32, %b: i32) -> i32 attributes {noinline = true} {
  %less = arith.cmpi slt, %a, %b : i32
  cf.cond_br %less, ^bb1, ^bb2
^bb1:
  tt.return %b : i32
^bb2:
  tt.return %a : i32
}
tt.func public @largest(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %xp : tensor<8x!tt.ptr<i32>>
  %m = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = tt.call @max(%a, %b) : (i32, i32) -> i32
    tt.reduce.return %c : i32
  }) : (tensor<8xi32>) -> i32
  tt.store %out, %m : !tt.ptr<i32>
  tt.return
}

// Sums that start anew at every third element.
tt.func public @segments(%out: !tt.ptr<i32>) {
  %c3 = arith.constant dense<3> : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %mod = arith.remsi %r, %c3 : tensor<8xi32>
  %starts = arith.cmpi eq, %mod, %zero : tensor<8xi32>
  %s:2 = "tt.scan"(%starts, %r) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%f: i1, %a: i32, %g: i1, %b: i32):
    %sum = scf.if %g -> i32 {
      scf.yield %b : i32
    } else {
      %t = arith.addi %a, %b : i32
      scf.yield %t : i32
    }
    %any = arith.ori %f, %g : i1
    tt.scan.return %any, %sum : i1, i32
  }) : (tensor<8xi1>, tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi32>)
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %op, %s#1 : tensor<8x!tt.ptr<i32>>
  tt.return
}

// Assertions on partial results, below a condition and in a function, are left out.
tt.func private @sum(%a: i32, %b: i32) -> i32 attributes {noinline = true} {
  %never = arith.constant false
  tt.assert %never, "in a function" : i1
  %s = arith.addi %a, %b : i32
  tt.return %s : i32
}
tt.func public @asserted(%out: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %m = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %c = scf.if %less -> i32 {
      tt.assert %less, "below a condition" : i1
      %s = tt.call @sum(%a, %b) : (i32, i32) -> i32
      scf.yield %s : i32
    } else {
      %s = arith.addi %b, %a : i32
      scf.yield %s : i32
    }
    tt.reduce.return %c : i32
  }) : (tensor<8xi32>) -> i32
  tt.store %out, %m : !tt.ptr<i32>
  tt.return
}
