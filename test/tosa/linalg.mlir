// RUN: kiln-opt %s --convert-linalg-to-prim | FileCheck %s

// CHECK-LABEL: func.func @matmul
// CHECK: prim.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The widening before the product is left to the product.
// CHECK-LABEL: func.func @batch_matmul
// CHECK: %[[D:.*]] = prim.dot_general {{.*}} batch [0] x [0] contract [2] x [1] : tensor<2x4x8xi8>, tensor<2x8x6xi8> -> tensor<2x4x6xi32>
// CHECK: prim.add %arg2, %[[D]]
func.func @batch_matmul(%a: tensor<2x4x8xi8>, %b: tensor<2x8x6xi8>, %c: tensor<2x4x6xi32>) -> tensor<2x4x6xi32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x4x8xi8>, tensor<2x8x6xi8>) outs(%c : tensor<2x4x6xi32>) -> tensor<2x4x6xi32>
  return %0 : tensor<2x4x6xi32>
}

// CHECK-LABEL: func.func @power
// CHECK: prim.mul %arg0, %arg0 : tensor<2x4xf32>
func.func @power(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %two = arith.constant 2 : i32
  %e = tensor.empty() : tensor<2x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = math.fpowi %in, %two : f32, i32
    linalg.yield %p : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @row_maximum
// CHECK: %[[M:.*]] = prim.amax %arg0 dims [1] : tensor<2x4xf32> -> tensor<2xf32>
// CHECK-NEXT: return %[[M]]
func.func @row_maximum(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x4xf32>) outs(%low : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @conv
// CHECK: prim.conv {{.*}}dilation = array<i64: 1, 1>{{.*}}groups = 1 : i64{{.*}}strides = array<i64: 2, 1>{{.*}} : tensor<1x5x5x2xf32>, tensor<3x3x2x2xf32> -> tensor<1x2x4x3xf32>
func.func @conv(%x: tensor<1x5x5x2xf32>, %w: tensor<3x2x2x3xf32>) -> tensor<1x2x4x3xf32> {
  %z = arith.constant dense<0.0> : tensor<1x2x4x3xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<1x5x5x2xf32>, tensor<3x2x2x3xf32>) outs(%z : tensor<1x2x4x3xf32>) -> tensor<1x2x4x3xf32>
  return %0 : tensor<1x2x4x3xf32>
}

// An element at a computed position is a gather.
// CHECK-LABEL: func.func @lookup
// CHECK: prim.reshape %arg0 : tensor<9x4xf32> -> tensor<36xf32>
// CHECK: prim.gather {{.*}} dim 0 batch_dims 0 : tensor<36xf32>, tensor<3x4xi64> -> tensor<3x4xf32>
func.func @lookup(%t: tensor<9x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = arith.index_cast %in : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %t[%r, %c] : tensor<9x4xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// The input is larger than what the windows read, as for the gradient of a filter.
// CHECK-LABEL: func.func @larger_input
// CHECK: %[[ALL:.*]] = prim.conv {{.*}} -> tensor<1x3x2x1xf32>
// CHECK: %[[READ:.*]] = prim.slice %[[ALL]] starts [0, 0, 0, 0] limits [1, 2, 2, 1] strides [1, 1, 1, 1]
// CHECK: prim.reshape %[[READ]]
func.func @larger_input(%x: tensor<7x6xf32>, %g: tensor<3x3xf32>, %z: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(p, q, i, j) -> (p + i * 2, q + j * 2)>, affine_map<(p, q, i, j) -> (i, j)>, affine_map<(p, q, i, j) -> (p, q)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %g : tensor<7x6xf32>, tensor<3x3xf32>) outs(%z : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %m, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// A sum that begins with -0.0 gives that where there is nothing to add.
// CHECK-LABEL: func.func @empty_sum
// CHECK: prim.sum
// CHECK: %[[COUNT:.*]] = prim.from_index
// CHECK: %[[NONE:.*]] = prim.eq %[[COUNT]]
// CHECK: prim.where
func.func @empty_sum(%x: tensor<3x?xf32>) -> tensor<3xf32> {
  %minus = arith.constant -0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%minus : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %0 = linalg.reduce ins(%x : tensor<3x?xf32>) outs(%f : tensor<3xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return %0 : tensor<3xf32>
}
