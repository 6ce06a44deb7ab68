// Every kind of atomic access, under a mask, and what was there before.
// RUN: for t in cpu reference; do kiln-run %s --entry=and --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 1 -3 8 7 0 0 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=or --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 7 -3 14 -1 4 -6 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=xor --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 6 0 6 -8 4 -6 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=add --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 8 -6 22 6 4 -6 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=max --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 5 -3 12 7 4 2 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=min --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 3 -3 10 -1 0 -8 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=umax --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 5 -3 12 -1 4 -8 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=umin --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 3 -3 10 7 0 2 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=exch --target=$t --grid=1 --arg=%S/Inputs/atomic-old.npy --arg=%S/Inputs/atomic-new.npy --arg=zeros:i32:8 --save=0:%t.0.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.0.npy 3 -3 10 -1 4 2 6 1 && %python %S/Inputs/check.py %t.2.npy 5 -3 12 7 0 -8 0 0 || exit 1; done
tt.func public @and(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw and, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @or(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw or, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @xor(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw xor, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @add(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @max(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw max, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @min(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw min, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @umax(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw umax, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @umin(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw umin, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
tt.func public @exch(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %vs = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %old = tt.atomic_rmw exch, acq_rel, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %zos = tt.splat %z : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %zop, %old, %m : tensor<8x!tt.ptr<i32>>
  tt.return
}
