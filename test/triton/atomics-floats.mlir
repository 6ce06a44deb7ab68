// Sums of floats by atomic accesses: all lanes to one element, with a mask and without.
// RUN: for t in cpu reference; do kiln-run %s --entry=add_f32 --target=$t --grid=4 --arg=zeros:f32:2 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 60 112 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=add_f16 --target=$t --grid=4 --arg=zeros:f16:2 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 60 112 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=add_bf16 --target=$t --grid=4 --arg=zeros:bf16:2 --save=0:%t.0.npy && %python %S/Inputs/check.py bf16:%t.0.npy 60 112 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=add_f64 --target=$t --grid=4 --arg=zeros:f64:2 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 60 112 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=max_f32 --target=$t --grid=3 --arg=zeros:f32:1 --arg=zeros:i64:1 --save=0:%t.0.npy --save=1:%t.1.npy && %python %S/Inputs/check.py %t.0.npy 7 && %python %S/Inputs/check.py %t.1.npy 28 || exit 1; done
tt.func public @add_f32(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %v = arith.sitofp %r : tensor<8xi32> to tensor<8xf32>
  %xp = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %x1 = tt.addptr %x, %c1 : !tt.ptr<f32>, i32
  %xq = tt.splat %x1 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %gone = tt.atomic_rmw fadd, release, sys, %xq, %v : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
  tt.return
}
tt.func public @add_f16(%x: !tt.ptr<f16>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %v = arith.sitofp %r : tensor<8xi32> to tensor<8xf16>
  %xp = tt.splat %x : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  %x1 = tt.addptr %x, %c1 : !tt.ptr<f16>, i32
  %xq = tt.splat %x1 : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<f16>>, tensor<8xf16>, tensor<8xi1>) -> tensor<8xf16>
  %gone = tt.atomic_rmw fadd, release, sys, %xq, %v : (tensor<8x!tt.ptr<f16>>, tensor<8xf16>) -> tensor<8xf16>
  tt.return
}
tt.func public @add_bf16(%x: !tt.ptr<bf16>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %v = arith.sitofp %r : tensor<8xi32> to tensor<8xbf16>
  %xp = tt.splat %x : !tt.ptr<bf16> -> tensor<8x!tt.ptr<bf16>>
  %x1 = tt.addptr %x, %c1 : !tt.ptr<bf16>, i32
  %xq = tt.splat %x1 : !tt.ptr<bf16> -> tensor<8x!tt.ptr<bf16>>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<bf16>>, tensor<8xbf16>, tensor<8xi1>) -> tensor<8xbf16>
  %gone = tt.atomic_rmw fadd, release, sys, %xq, %v : (tensor<8x!tt.ptr<bf16>>, tensor<8xbf16>) -> tensor<8xbf16>
  tt.return
}
tt.func public @add_f64(%x: !tt.ptr<f64>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant dense<6> : tensor<8xi32>
  %m = arith.cmpi slt, %r, %c6 : tensor<8xi32>
  %v = arith.sitofp %r : tensor<8xi32> to tensor<8xf64>
  %xp = tt.splat %x : !tt.ptr<f64> -> tensor<8x!tt.ptr<f64>>
  %x1 = tt.addptr %x, %c1 : !tt.ptr<f64>, i32
  %xq = tt.splat %x1 : !tt.ptr<f64> -> tensor<8x!tt.ptr<f64>>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %xp, %v, %m : (tensor<8x!tt.ptr<f64>>, tensor<8xf64>, tensor<8xi1>) -> tensor<8xf64>
  %gone = tt.atomic_rmw fadd, release, sys, %xq, %v : (tensor<8x!tt.ptr<f64>>, tensor<8xf64>) -> tensor<8xf64>
  tt.return
}
// The largest float by its bits, as Triton does it; i64 sums of one instance; a scalar access.
tt.func public @max_f32(%x: !tt.ptr<f32>, %y: !tt.ptr<i64>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %v = arith.sitofp %r : tensor<8xi32> to tensor<8xf32>
  %bits = tt.bitcast %v : tensor<8xf32> -> tensor<8xi32>
  %p = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %old = tt.atomic_rmw max, relaxed, gpu, %ps, %bits : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %w = arith.extsi %r : tensor<8xi32> to tensor<8xi64>
  %s = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: i64, %b: i64):
    %c = arith.addi %a, %b : i64
    tt.reduce.return %c : i64
  }) : (tensor<8xi64>) -> i64
  %pid = tt.get_program_id x : i32
  %first = arith.cmpi eq, %pid, %c0 : i32
  %q = tt.atomic_rmw add, acq_rel, cta, %y, %s, %first : (!tt.ptr<i64>, i64, i1) -> i64
  tt.return
}
