// Scans in both directions, a private function with early returns, and random numbers by wide products.
// RUN: kiln-run %s --entry=scan --target=cpu --check --grid=1 --arg=random:1:f32:64 --arg=zeros:f32:64 --arg=zeros:f32:64
// RUN: kiln-run %s --entry=calls --target=cpu --check --grid=4 --arg=zeros:i32:4 --arg=i32:3
// RUN: kiln-run %s --entry=random --target=cpu --check --grid=1 --arg=zeros:i32:32 --arg=i32:42
tt.func public @scan(%x: !tt.ptr<f32>, %up: !tt.ptr<f32>, %down: !tt.ptr<f32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %a = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.scan.return %s : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %b = "tt.scan"(%v) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.maxnumf %l, %r : f32
    tt.scan.return %s : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %us = tt.splat %up : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %upp = tt.addptr %us, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %upp, %a : tensor<64x!tt.ptr<f32>>
  %ds = tt.splat %down : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %dp = tt.addptr %ds, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %dp, %b : tensor<64x!tt.ptr<f32>>
  tt.return
}

tt.func private @twice(%v: i32) -> i32 attributes {noinline = true} {
  %c2 = arith.constant 2 : i32
  %r = arith.muli %v, %c2 : i32
  tt.return %r : i32
}
tt.func public @calls(%y: !tt.ptr<i32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %out = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %out, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  %v = tt.call @twice(%pid) : (i32) -> i32
  %p = tt.addptr %y, %pid : !tt.ptr<i32>, i32
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}

tt.func public @random(%y: !tt.ptr<i32>, %seed: i32) {
  %key = arith.constant dense<-766435501> : tensor<32xi32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %s = tt.splat %seed : i32 -> tensor<32xi32>
  %c = arith.addi %i, %s : tensor<32xi32>
  %hi = tt.mulhiui %c, %key : tensor<32xi32>
  %lo = arith.muli %c, %key : tensor<32xi32>
  %r = arith.xori %hi, %lo : tensor<32xi32>
  %hi2 = tt.mulhiui %r, %key : tensor<32xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %yp, %hi2 : tensor<32x!tt.ptr<i32>>
  tt.return
}
