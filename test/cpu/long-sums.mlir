// One is followed by 8191 terms of 2^-25, each of which vanishes beside it: what is added to it are sums of many of them.
// The exact sum is 1.000244; one chain of additions gives one.
// REQUIRES: x86_64
// RUN: kiln-run %s --entry=rows --target=cpu --arg=zeros:f32:48x8192 --arg=zeros:f32:8192x32 --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=columns --target=cpu --arg=zeros:f32:8192x48 --arg=zeros:f32:8192x32 --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=rows --target=cpu,threads=1 --arg=random:1:f32:48x8192 --arg=random:2:f32:8192x32 --check --no-fallback
// CHECK: result 0: 48x32xf32: minimum 1.0002{{[0-9]*}}, maximum 1.0002

func.func @rows(%x: tensor<48x8192xf32>, %y: tensor<8192x32xf32>) -> tensor<48x32xf32> {
  %one = prim.constant dense<1.0> : tensor<8192x32xf32>
  %small = prim.constant dense<2.98023223876953125e-8> : tensor<48x8192xf32>
  %large = prim.constant dense<1.0> : tensor<48x8192xf32>
  %zero = prim.constant dense<0> : tensor<48x8192xi32>
  %i = prim.iota dim 1 : tensor<48x8192xi32>
  %first = prim.eq %i, %zero : tensor<48x8192xi32> -> tensor<48x8192xi1>
  %terms = prim.where %first, %large, %small : tensor<48x8192xi1>, tensor<48x8192xf32>
  %left = prim.add %x, %terms : tensor<48x8192xf32>
  %right = prim.add %y, %one : tensor<8192x32xf32>
  %0 = prim.dot_general %left, %right batch [] x [] contract [1] x [0] : tensor<48x8192xf32>, tensor<8192x32xf32> -> tensor<48x32xf32>
  return %0 : tensor<48x32xf32>
}

func.func @columns(%x: tensor<8192x48xf32>, %y: tensor<8192x32xf32>) -> tensor<48x32xf32> {
  %one = prim.constant dense<1.0> : tensor<8192x32xf32>
  %small = prim.constant dense<2.98023223876953125e-8> : tensor<8192x48xf32>
  %large = prim.constant dense<1.0> : tensor<8192x48xf32>
  %zero = prim.constant dense<0> : tensor<8192x48xi32>
  %i = prim.iota dim 0 : tensor<8192x48xi32>
  %first = prim.eq %i, %zero : tensor<8192x48xi32> -> tensor<8192x48xi1>
  %terms = prim.where %first, %large, %small : tensor<8192x48xi1>, tensor<8192x48xf32>
  %left = prim.add %x, %terms : tensor<8192x48xf32>
  %right = prim.add %y, %one : tensor<8192x32xf32>
  %0 = prim.dot_general %left, %right batch [] x [] contract [0] x [0] : tensor<8192x48xf32>, tensor<8192x32xf32> -> tensor<48x32xf32>
  return %0 : tensor<48x32xf32>
}
