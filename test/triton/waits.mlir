// Which kernels have instances that wait for others: those with a loop that ends by what it polls, also where an iteration carries it to the
// next condition. A queue and a retried exchange end alone, so that their grids have no limit.
// RUN: kiln-compile %s --target=reference --emit=tile -o - | FileCheck %s
// RUN: for t in cpu reference; do kiln-run %s --entry=barrier --target=$t --grid=4 --arg=zeros:i32:4 --arg=zeros:i32:1 --arg=zeros:i32:4 --save=2:%t.npy && %python %S/Inputs/check.py %t.npy 10 10 10 10 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=signal --target=$t --grid=3 --arg=zeros:i32:1 --arg=zeros:i32:3 --save=1:%t.npy && %python %S/Inputs/check.py %t.npy 7 7 7 || exit 1; done
// RUN: kiln-run %s --entry=queue --target=cpu --grid=9000 --arg=zeros:i32:1 --arg=zeros:i32:5 --save=1:%t.npy && %python %S/Inputs/check.py %t.npy 1 1 1 1 1
// RUN: kiln-run %s --entry=retry --target=cpu --grid=9000 --arg=zeros:i32:1 --save=0:%t.npy && %python %S/Inputs/check.py %t.npy 27000

// A barrier of the grid: the sign of the count turns when all have come.
// CHECK: tile.kernel @barrier({{.*}} progress = #tile<progress concurrent>
tt.func public @barrier(%parts: !tt.ptr<i32>, %count: !tt.ptr<i32>, %sums: !tt.ptr<i32>) {
  %false = arith.constant false
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sign = arith.constant -2147483648 : i32
  %pid = tt.get_program_id x : i32
  %n = tt.get_num_programs x : i32
  %part = tt.addptr %parts, %pid : !tt.ptr<i32>, i32
  %mine = arith.addi %pid, %c1 : i32
  tt.store %part, %mine : !tt.ptr<i32>
  gpu.barrier
  %isFirst = arith.cmpi eq, %pid, %c0 : i32
  %others = arith.subi %n, %c1 : i32
  %all = arith.subi %sign, %others : i32
  %step = arith.select %isFirst, %all, %c1 : i32
  %old = tt.atomic_rmw add, release, gpu, %count, %step, %true : (!tt.ptr<i32>, i32, i1) -> i32
  scf.while (%done = %false) : (i1) -> () {
    %on = arith.xori %done, %true : i1
    scf.condition(%on)
  } do {
    %now = tt.atomic_rmw add, acquire, gpu, %count, %c0, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %turned = arith.xori %now, %old : i32
    %bit = arith.andi %turned, %sign : i32
    %is = arith.cmpi ne, %bit, %c0 : i32
    scf.yield %is : i1
  }
  gpu.barrier
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %p = tt.splat %parts : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %ps = tt.addptr %p, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %v = tt.load %ps : tensor<4x!tt.ptr<i32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %0 = arith.addi %a, %b : i32
    tt.reduce.return %0 : i32
  }) : (tensor<4xi32>) -> i32
  %to = tt.addptr %sums, %pid : !tt.ptr<i32>, i32
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}

// The first instances wait for the last one, by a volatile load in a branch.
// CHECK: tile.kernel @signal({{.*}} progress = #tile<progress concurrent>
tt.func public @signal(%flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c7 = arith.constant 7 : i32
  %pid = tt.get_program_id x : i32
  %isLast = arith.cmpi eq, %pid, %c2 : i32
  scf.if %isLast {
    %was = tt.atomic_rmw exch, release, gpu, %flag, %c7, %true : (!tt.ptr<i32>, i32, i1) -> i32
  }
  %seen = scf.while (%value = %c0) : (i32) -> i32 {
    %on = arith.cmpi eq, %value, %c0 : i32
    scf.condition(%on) %value : i32
  } do {
  ^bb0(%value: i32):
    %isZero = arith.cmpi eq, %value, %c0 : i32
    %next = scf.if %isZero -> i32 {
      %place = tt.addptr %flag, %c0 : !tt.ptr<i32>, i32
      %read = tt.load %place {isVolatile = true} : !tt.ptr<i32>
      scf.yield %read : i32
    } else {
      scf.yield %c1 : i32
    }
    scf.yield %next : i32
  }
  %got = tt.atomic_rmw add, acquire, gpu, %flag, %c0, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %to = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %to, %got : !tt.ptr<i32>
  tt.return
}

// Instances take numbers from a queue until it is empty.
// CHECK: tile.kernel @queue(
// CHECK-NOT: concurrent
tt.func public @queue(%next: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %first = tt.atomic_rmw add, acq_rel, gpu, %next, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %end = scf.while (%number = %first) : (i32) -> i32 {
    %on = arith.cmpi slt, %number, %c5 : i32
    scf.condition(%on) %number : i32
  } do {
  ^bb0(%number: i32):
    %p = tt.addptr %out, %number : !tt.ptr<i32>, i32
    tt.store %p, %c1 : !tt.ptr<i32>
    %then = tt.atomic_rmw add, acq_rel, gpu, %next, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
    scf.yield %then : i32
  }
  tt.return
}

// An addition by compare and exchange, done again where another was first.
tt.func public @retry(%sum: !tt.ptr<i32>) {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %minus = arith.constant -1 : i32
  %end:2 = scf.while (%expected = %minus, %found = %c0) : (i32, i32) -> (i32, i32) {
    %on = arith.cmpi ne, %expected, %found : i32
    scf.condition(%on) %expected, %found : i32, i32
  } do {
  ^bb0(%expected: i32, %found: i32):
    %more = arith.addi %found, %c3 : i32
    %is = tt.atomic_cas acq_rel, gpu, %sum, %found, %more : (!tt.ptr<i32>, i32, i32) -> i32
    scf.yield %found, %is : i32, i32
  }
  tt.return
}
