// Kernels as older versions print them: address spaces, enumerations as numbers, generic forms, attributes of the module.
// RUN: for t in cpu reference; do kiln-run %s --entry=old --target=$t --grid=1 --arg=%S/Inputs/ties.npy --arg=zeros:f32:8 --arg=i32:6 --save=1:%t.1.npy && %python %S/Inputs/check.py %t.1.npy 3 1 2 1 5 5 7 7 || exit 1; done
module attributes {"triton_gpu.num-warps" = 4 : i32, triton_gpu.target = "cuda:80"} {
tt.func public @old(%x: !tt.ptr<f32, 1> {tt.divisibility = 16 : i32, tt.max_divisibility = 16 : i32}, %y: !tt.ptr<f32, 1>, %n: i32) attributes {noinline = false} {
  %other = arith.constant dense<7.000000e+00> : tensor<8xf32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %m = "arith.cmpi"(%r, %ns) <{predicate = 2 : i64}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %xs = tt.splat %x : !tt.ptr<f32, 1> -> tensor<8x!tt.ptr<f32, 1>>
  %xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<f32, 1>>, tensor<8xi32>
  %v = tt.load %xp, %m, %other {cache = 1 : i32, evict = 1 : i32, isVolatile = false} : tensor<8xf32>
  %ys = tt.splat %y : !tt.ptr<f32, 1> -> tensor<8x!tt.ptr<f32, 1>>
  %yp = tt.addptr %ys, %r : tensor<8x!tt.ptr<f32, 1>>, tensor<8xi32>
  tt.store %yp, %v {cache = 1 : i32, evict = 1 : i32} : tensor<8xf32>
  tt.return
}
}
