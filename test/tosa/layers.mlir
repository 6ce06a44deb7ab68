// RUN: kiln-opt %s --convert-tosa-to-prim | FileCheck %s

// A zero point is taken off in i32, so that padding reads zero.
// CHECK-LABEL: func.func @conv2d
// CHECK: %[[X:.*]] = prim.convert_element_type %arg0 : tensor<1x8x8x3xi8> -> tensor<1x8x8x3xi32>
// CHECK: %[[Z:.*]] = prim.full -128 : i32
// CHECK: %[[S:.*]] = prim.sub %[[X]], %[[Z]]
// CHECK: %[[C:.*]] = prim.conv %[[S]], %arg1 {{.*}}pad_high = array<i64: 1, 1>{{.*}}pad_low = array<i64: 0, 0>{{.*}}strides = array<i64: 2, 2>
// CHECK-SAME: tensor<1x8x8x3xi32>, tensor<4x3x3x3xi8> -> tensor<1x4x4x4xi32>
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg2 dims [3]
// CHECK: prim.add %[[C]], %[[B]]
func.func @conv2d(%x: tensor<1x8x8x3xi8>, %w: tensor<4x3x3x3xi8>, %b: tensor<4xi32>) -> tensor<1x4x4x4xi32> {
  %zi = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %zi, %zw {acc_type = i32, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x3xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x4xi32>
  return %0 : tensor<1x4x4x4xi32>
}

// CHECK-LABEL: func.func @depthwise
// CHECK: prim.transpose %arg1 permutation [2, 3, 0, 1]
// CHECK: prim.reshape {{.*}} -> tensor<6x3x3x1xbf16>
// CHECK: prim.conv {{.*}}groups = 3 : i64{{.*}} -> tensor<1x6x6x6xf32>
// CHECK: prim.convert_element_type {{.*}} -> tensor<1x6x6x6xbf16>
func.func @depthwise(%x: tensor<1x8x8x3xbf16>, %w: tensor<3x3x3x2xbf16>, %b: tensor<6xbf16>) -> tensor<1x6x6x6xbf16> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xbf16>}> : () -> tensor<1xbf16>
  %0 = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x3xbf16>, tensor<3x3x3x2xbf16>, tensor<6xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<1x6x6x6xbf16>
  return %0 : tensor<1x6x6x6xbf16>
}

// CHECK-LABEL: func.func @transpose_conv
// CHECK: prim.rev %arg1 dims [1, 2]
// CHECK: prim.conv {{.*}}input_dilation = array<i64: 2, 2>{{.*}}pad_high = array<i64: 2, 2>{{.*}}strides = array<i64: 1, 1>
// CHECK-NOT: prim.add
func.func @transpose_conv(%x: tensor<1x4x4x3xf32>, %w: tensor<2x3x3x3xf32>) -> tensor<1x9x9x2xf32> {
  %b = "tosa.const"() <{values = dense<0.0> : tensor<2xf32>}> : () -> tensor<2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x9x2xf32>
  return %0 : tensor<1x9x9x2xf32>
}

// CHECK-LABEL: func.func @matmul
// CHECK: prim.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [1] : tensor<2x3x4xbf16>, tensor<2x4x5xbf16> -> tensor<2x3x5xf32>
func.func @matmul(%a: tensor<2x3x4xbf16>, %b: tensor<2x4x5xbf16>) -> tensor<2x3x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xbf16>}> : () -> tensor<1xbf16>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<2x3x4xbf16>, tensor<2x4x5xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// Without padding every window has the same number of elements.
// CHECK-LABEL: func.func @average
// CHECK: prim.sum_pool {{.*}} -> tensor<1x2x2x3xi32>
// CHECK: prim.rescale {{.*}}multiplier = array<i32: 1073741825>{{.*}}shift = array<i8: 32>
func.func @average(%x: tensor<1x4x4x3xi8>) -> tensor<1x2x2x3xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x3xi8>
  return %0 : tensor<1x2x2x3xi8>
}

// CHECK-LABEL: func.func @reduce
// CHECK: %[[R:.*]] = prim.sum %arg0 dims [1] : tensor<3x4xf32> -> tensor<3xf32>
// CHECK: prim.reshape %[[R]] : tensor<3xf32> -> tensor<3x1xf32>
func.func @reduce(%x: tensor<3x4xf32>) -> tensor<3x1xf32> {
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}
