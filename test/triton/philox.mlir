// Ten rounds of Philox 4x32 on counters 0 to 3 with key 0; the first is the published known answer.
// RUN: for t in cpu reference; do kiln-run %s --target=$t --grid=1 --arg=zeros:i32:4 --arg=zeros:i32:4 --arg=zeros:i32:4 --arg=zeros:i32:4 --save=0:%t.0.npy --save=1:%t.1.npy --save=2:%t.2.npy --save=3:%t.3.npy && %python %S/Inputs/check.py %t.0.npy 1713891541 -119223132 83534633 -913248471 && %python %S/Inputs/check.py %t.1.npy -513161843 1555169499 1372009126 1782871206 && %python %S/Inputs/check.py %t.2.npy -1135104948 -1314556693 605361069 -1698098353 && %python %S/Inputs/check.py %t.3.npy -1694442536 159317863 1167144420 1832992260 || exit 1; done
tt.func public @philox(%o0: !tt.ptr<i32>, %o1: !tt.ptr<i32>, %o2: !tt.ptr<i32>, %o3: !tt.ptr<i32>) {
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %ma = arith.constant dense<-766435501> : tensor<4xi32>
  %mb = arith.constant dense<-845247145> : tensor<4xi32>
  %ka = arith.constant -1640531527 : i32
  %kb = arith.constant -1150833019 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c10 = arith.constant 10 : i32
  %x:6 = scf.for %n = %c0 to %c10 step %c1 iter_args(%a = %r, %b = %zero, %c = %zero, %d = %zero, %k = %c0, %l = %c0) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, i32, i32) : i32 {
    %hb = tt.mulhiui %mb, %c : tensor<4xi32>
    %ks = tt.splat %k : i32 -> tensor<4xi32>
    %a1 = arith.xori %hb, %b : tensor<4xi32>
    %a2 = arith.xori %a1, %ks : tensor<4xi32>
    %ha = tt.mulhiui %ma, %a : tensor<4xi32>
    %ls = tt.splat %l : i32 -> tensor<4xi32>
    %c2 = arith.xori %ha, %d : tensor<4xi32>
    %c3 = arith.xori %c2, %ls : tensor<4xi32>
    %b2 = arith.muli %mb, %c : tensor<4xi32>
    %d2 = arith.muli %ma, %a : tensor<4xi32>
    %k2 = arith.addi %k, %ka : i32
    %l2 = arith.addi %l, %kb : i32
    scf.yield %a2, %b2, %c3, %d2, %k2, %l2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, i32, i32
  }
  %o0os = tt.splat %o0 : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %o0op = tt.addptr %o0os, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %o0op, %x#0 : tensor<4x!tt.ptr<i32>>
  %o1os = tt.splat %o1 : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %o1op = tt.addptr %o1os, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %o1op, %x#1 : tensor<4x!tt.ptr<i32>>
  %o2os = tt.splat %o2 : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %o2op = tt.addptr %o2os, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %o2op, %x#2 : tensor<4x!tt.ptr<i32>>
  %o3os = tt.splat %o3 : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %o3op = tt.addptr %o3os, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %o3op, %x#3 : tensor<4x!tt.ptr<i32>>
  tt.return
}
