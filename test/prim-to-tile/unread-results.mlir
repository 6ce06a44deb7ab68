// Where two groups become one, what nothing reads is left out, with the operands that only it reads.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse))' | FileCheck %s

// CHECK-LABEL: func.func @unread(
// CHECK: prim.fusion elementwise(%arg0) : (tensor<256x64xf32>) -> tensor<256x64xf32>
// CHECK-NOT: prim.exp
// CHECK: prim.neg
// CHECK-NEXT: prim.add
// CHECK-NOT: prim.fusion
// CHECK: return
func.func @unread(%x: tensor<256x64xf32>, %y: tensor<256x64xf32>, %z: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %0:2 = prim.fusion elementwise(%x, %z) : (tensor<256x64xf32>, tensor<256x64xf32>) -> (tensor<256x64xf32>, tensor<256x64xf32>) {
  ^bb0(%a: tensor<256x64xf32>, %b: tensor<256x64xf32>):
    %e = prim.exp %b : tensor<256x64xf32>
    %m = prim.neg %a : tensor<256x64xf32>
    prim.yield %m, %e : tensor<256x64xf32>, tensor<256x64xf32>
  }
  %1 = prim.fusion elementwise(%x, %0#0) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32> {
  ^bb0(%a: tensor<256x64xf32>, %b: tensor<256x64xf32>):
    %s = prim.add %a, %b : tensor<256x64xf32>
    prim.yield %s : tensor<256x64xf32>
  }
  return %1 : tensor<256x64xf32>
}
