// What launches count: elementwise operations what they write, reductions and scans what they read, movements and
// conversions nothing (docs/tools.md).
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose,prim-fuse),convert-prim-to-tile,canonicalize,cse)' | FileCheck %s

// 2 x 4 x 8 and the sum's 4 x 8.
// CHECK-LABEL: program.func @elementwise_and_sum
// CHECK: flops %c96 {schedule = "generic.reduction"}
func.func @elementwise_and_sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = prim.exp %x : tensor<4x8xf32>
  %1 = prim.mul %0, %x : tensor<4x8xf32>
  %2 = prim.sum %1 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// What is computed once for each row counts once.
// CHECK-LABEL: program.func @rows
// CHECK: flops %c36
func.func @rows(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4x8xf32> {
  %0 = prim.neg %y : tensor<4xf32>
  %1 = prim.broadcast_in_dim %0 dims [0] : tensor<4xf32> -> tensor<4x8xf32>
  %2 = prim.add %x, %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: program.func @nothing
// CHECK-NOT: flops
// CHECK: program.return
func.func @nothing(%x: tensor<4x8xf32>, %c: tensor<8x4xi1>) -> tensor<8x4xbf16> {
  %0 = prim.transpose %x permutation [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = prim.convert_element_type %0 : tensor<8x4xf32> -> tensor<8x4xbf16>
  %z = prim.full 0.0 : bf16 : tensor<8x4xbf16>
  %2 = prim.where %c, %1, %z : tensor<8x4xi1>, tensor<8x4xbf16>
  return %2 : tensor<8x4xbf16>
}

// Two operations of the region for each element.
// CHECK-LABEL: program.func @region
// CHECK: flops %c64
func.func @region(%x: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<4xf32> {
  %0 = prim.reduce (%x) inits (%z) dims [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = prim.mul %a, %b : tensor<f32>
    %2 = prim.maximum %1, %b : tensor<f32>
    prim.yield %2 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: program.func @scan
// CHECK: flops %[[N:[a-z0-9]+]] {schedule = "generic.scan"}
func.func @scan(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = prim.scan sum %x dim 1 : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
