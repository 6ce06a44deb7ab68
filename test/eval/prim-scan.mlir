// RUN: kiln-eval %s | FileCheck %s

// CHECK: scan[0] = [4] i32: 1 3 6 10
// CHECK: scan[1] = [4] i32: 10 9 7 4
// CHECK: scan[2] = [4] i32: 1 1 2 6
// CHECK: scan[3] = [3] f32: 1 nan nan
func.func @scan() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xf32>) {
  %x = prim.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %y = prim.constant dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>
  %0 = prim.scan sum %x dim 0 : tensor<4xi32>
  %1 = prim.scan sum %x dim 0 reverse : tensor<4xi32>
  %2 = prim.scan prod %x dim 0 exclusive : tensor<4xi32>
  %3 = prim.scan max %y dim 0 : tensor<3xf32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xf32>
}
// Of equals the last one.
// CHECK: arg_scan = [4] i32: 0 0 2 3
func.func @arg_scan() -> tensor<4xi32> {
  %x = prim.constant dense<[2.0, 1.0, 2.0, 5.0]> : tensor<4xf32>
  %0 = prim.arg_scan max %x dim 0 : tensor<4xf32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
