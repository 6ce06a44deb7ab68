// Scalar accesses, pointers in memory, addresses as integers, hints, assumptions, poison, bf16 arithmetic.
// RUN: for t in cpu reference; do kiln-run %s --entry=scalars --target=$t --grid=1 --arg=%S/Inputs/ties.npy --arg=zeros:f32:4 --save=1:%t.1.npy && %python %S/Inputs/check.py %t.1.npy 4 1 5 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=pointers --target=$t --grid=1 --arg=%S/Inputs/ties.npy --arg=zeros:i64:2 --arg=zeros:f32:2 --save=2:%t.2.npy && %python %S/Inputs/check.py %t.2.npy 3 5 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=hints --target=$t --grid=1 --arg=%S/Inputs/ties.npy --arg=zeros:f32:8 --save=1:%t.1.npy && %python %S/Inputs/check.py %t.1.npy 3 1 2 1 5 5 0 4 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=bf16 --target=$t --grid=1 --arg=zeros:bf16:8 --save=0:%t.0.npy && %python %S/Inputs/check.py bf16:%t.0.npy 1.0 1.4453125 2.125 3.0 4.15625 5.40625 7.0 8.75 || exit 1; done
#loc1 = loc("kernel.py":10:0)
tt.func public @scalars(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %off = arith.constant false
  %on = arith.constant true
  %nine = arith.constant 9.0 : f32
  %five = arith.constant 5.0 : f32
  %x1 = tt.addptr %x, %c1 : !tt.ptr<f32>, i32
  %x4 = tt.addptr %x, %c4 : !tt.ptr<f32>, i32
  %y1 = tt.addptr %y, %c1 : !tt.ptr<f32>, i32
  %y2 = tt.addptr %y, %c2 : !tt.ptr<f32>, i64
  %y3 = tt.addptr %y, %c3 : !tt.ptr<f32>, i32
  %a = tt.load %x : !tt.ptr<f32>
  %b = tt.load %x1, %on : !tt.ptr<f32>
  %c = tt.load %x4, %off, %five : !tt.ptr<f32>
  %s = arith.addf %a, %b : f32
  tt.store %y, %s : !tt.ptr<f32>
  tt.store %y1, %b, %on : !tt.ptr<f32>
  tt.store %y2, %c : !tt.ptr<f32>
  tt.store %y3, %nine, %off : !tt.ptr<f32>
  tt.return
}
// Addresses go to memory and come back as pointers, once as integers and once as they are.
tt.func public @pointers(%x: !tt.ptr<f32>, %table: !tt.ptr<i64>, %y: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %x4 = tt.addptr %x, %c4 : !tt.ptr<f32>, i32
  %b = tt.ptr_to_int %x4 : !tt.ptr<f32> -> i64
  %t1 = tt.addptr %table, %c1 : !tt.ptr<i64>, i32
  tt.store %t1, %b : !tt.ptr<i64>
  %tq = tt.bitcast %table : !tt.ptr<i64> -> !tt.ptr<!tt.ptr<f32>>
  tt.store %tq, %x : !tt.ptr<!tt.ptr<f32>>
  %l = tt.load %table : !tt.ptr<i64>
  %p = tt.int_to_ptr %l : i64 -> !tt.ptr<f32>
  %tp = tt.bitcast %t1 : !tt.ptr<i64> -> !tt.ptr<!tt.ptr<f32>>
  %q = tt.load %tp : !tt.ptr<!tt.ptr<f32>>
  %v = tt.load %p : !tt.ptr<f32>
  %w = tt.load %q : !tt.ptr<f32>
  %y1 = tt.addptr %y, %c1 : !tt.ptr<f32>, i32
  tt.store %y, %v : !tt.ptr<f32>
  tt.store %y1, %w : !tt.ptr<f32>
  tt.return
}
// Named locations, as the frontend prints them.
tt.func public @hints(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#loc1)), %y: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("y"(#loc1))) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c0 = arith.constant 0 : i32
  %pid = tt.get_program_id x : i32 loc(#loc2)
  %ok = arith.cmpi sge, %pid, %c0 : i32
  llvm.intr.assume %ok : i1
  %any = ub.poison : tensor<8xf32>
  %none = arith.constant dense<false> : tensor<8xi1>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc3)
  %a = tt.load %xp cacheModifier = ca evictionPolicy = evict_last {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %b = tt.load %xp evictionPolicy = evict_first cacheModifier = cg : tensor<8x!tt.ptr<f32>>
  %c = arith.maximumf %a, %b : tensor<8xf32>
  %d = arith.select %none, %any, %c : tensor<8xi1>, tensor<8xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %yp, %d cacheModifier = wt evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  tt.return
}
// Every operation rounds to bf16.
tt.func public @bf16(%y: !tt.ptr<bf16>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %three = arith.constant dense<3.0> : tensor<8xbf16>
  %one = arith.constant dense<1.0> : tensor<8xbf16>
  %i = arith.sitofp %r : tensor<8xi32> to tensor<8xbf16>
  %third = arith.divf %i, %three : tensor<8xbf16>
  %a = arith.addf %third, %one : tensor<8xbf16>
  %m = arith.mulf %a, %a : tensor<8xbf16>
  %s = arith.subf %m, %third : tensor<8xbf16>
  %yos = tt.splat %y : !tt.ptr<bf16> -> tensor<8x!tt.ptr<bf16>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<bf16>>, tensor<8xi32>
  tt.store %yop, %s : tensor<8x!tt.ptr<bf16>>
  tt.return
}
#loc2 = loc("kernel.py":12:24)
#loc3 = loc("pointers"(#loc2))
