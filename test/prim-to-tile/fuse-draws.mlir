// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose,prim-simplify,prim-fuse))' | FileCheck %s

// Random numbers follow from the place of each element and a key. The kernel
// that draws them is one, and each of two that share counters computes these.
// CHECK-LABEL: func.func @draws
// CHECK: prim.fusion elementwise(%arg0) : (tensor<2xi32>) -> tensor<32768xi1>
// CHECK: prim.fusion elementwise(%arg1) : (tensor<2xi32>) -> tensor<32768xi1>
// CHECK-NOT: prim.fusion
// CHECK: return
func.func @draws(%a: tensor<2xi32>, %b: tensor<2xi32>) -> (tensor<8x4096xi1>, tensor<8x4096xi1>) {
  %c = prim.full 0 : i32 : tensor<4xi32>
  %x = prim.random_bits philox %a, %c : tensor<2xi32>, tensor<4xi32> -> tensor<8x4096xi32>
  %y = prim.random_bits philox %b, %c : tensor<2xi32>, tensor<4xi32> -> tensor<8x4096xi32>
  %h = prim.full 1000 : i32 : tensor<8x4096xi32>
  %p = prim.lt %x, %h : tensor<8x4096xi32> -> tensor<8x4096xi1>
  %q = prim.lt %y, %h : tensor<8x4096xi32> -> tensor<8x4096xi1>
  return %p, %q : tensor<8x4096xi1>, tensor<8x4096xi1>
}
