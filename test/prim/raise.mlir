// RUN: kiln-opt %s --prim-raise-composites | FileCheck %s
// RUN: kiln-opt %s --prim-raise-composites --prim-decompose --prim-raise-composites | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: %[[R:.*]] = prim.softmax %arg0 dim 2
// CHECK-NEXT: return %[[R]]
func.func @softmax(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %m = prim.amax %x dims [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %m1 = prim.reshape %m : tensor<2x4xf32> -> tensor<2x4x1xf32>
  %mb = prim.broadcast_in_dim %m1 dims [0, 1, 2] : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %d = prim.sub %x, %mb : tensor<2x4x8xf32>
  %e = prim.exp %d : tensor<2x4x8xf32>
  %s = prim.sum %e dims [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %s1 = prim.reshape %s : tensor<2x4xf32> -> tensor<2x4x1xf32>
  %r = prim.reciprocal %s1 : tensor<2x4x1xf32>
  %rb = prim.broadcast_in_dim %r dims [0, 1, 2] : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %p = prim.mul %e, %rb : tensor<2x4x8xf32>
  return %p : tensor<2x4x8xf32>
}

// The largest element of each column is taken from each row: no softmax.
// CHECK-LABEL: func.func @crossed
// CHECK-NOT: prim.softmax
// CHECK: return
func.func @crossed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = prim.amax %x dims [0] : tensor<8x8xf32> -> tensor<8xf32>
  %mb = prim.broadcast_in_dim %m dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %d = prim.sub %x, %mb : tensor<8x8xf32>
  %e = prim.exp %d : tensor<8x8xf32>
  %s = prim.sum %e dims [0] : tensor<8x8xf32> -> tensor<8xf32>
  %sb = prim.broadcast_in_dim %s dims [1] : tensor<8xf32> -> tensor<8x8xf32>
  %p = prim.div %e, %sb : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @rms_norm
// CHECK-NEXT: %[[R:.*]] = prim.rms_norm %arg0 weight %arg1 axes 1 eps 9.9999997473787516E-6
// CHECK-NEXT: return %[[R]]
func.func @rms_norm(%x: tensor<1x4x8xf32>, %w: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %q = prim.mul %x, %x : tensor<1x4x8xf32>
  %s = prim.sum %q dims [2] : tensor<1x4x8xf32> -> tensor<1x4xf32>
  %s1 = prim.reshape %s : tensor<1x4xf32> -> tensor<1x4x1xf32>
  %n = prim.constant dense<0.125> : tensor<1x4x1xf32>
  %m = prim.mul %n, %s1 : tensor<1x4x1xf32>
  %eps = prim.constant dense<1.0e-5> : tensor<1x4x1xf32>
  %a = prim.add %m, %eps : tensor<1x4x1xf32>
  %r = prim.rsqrt %a : tensor<1x4x1xf32>
  %rb = prim.broadcast_in_dim %r dims [0, 1, 2] : tensor<1x4x1xf32> -> tensor<1x4x8xf32>
  %o = prim.mul %x, %rb : tensor<1x4x8xf32>
  %w1 = prim.reshape %w : tensor<8xf32> -> tensor<1x1x8xf32>
  %wb = prim.broadcast_in_dim %w1 dims [0, 1, 2] : tensor<1x1x8xf32> -> tensor<1x4x8xf32>
  %y = prim.mul %wb, %o : tensor<1x4x8xf32>
  return %y : tensor<1x4x8xf32>
}

// A mean over another number of elements is no mean.
// CHECK-LABEL: func.func @not_a_mean
// CHECK-NOT: prim.rms_norm
// CHECK: return
func.func @not_a_mean(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %q = prim.mul %x, %x : tensor<4x8xf32>
  %s = prim.sum %q dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %n = prim.constant dense<0.25> : tensor<4xf32>
  %m = prim.mul %n, %s : tensor<4xf32>
  %eps = prim.constant dense<1.0e-5> : tensor<4xf32>
  %a = prim.add %m, %eps : tensor<4xf32>
  %r = prim.rsqrt %a : tensor<4xf32>
  %rb = prim.broadcast_in_dim %r dims [0] : tensor<4xf32> -> tensor<4x8xf32>
  %o = prim.mul %x, %rb : tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK: prim.layer_norm %arg0 weight %arg1 bias %arg2 axes 1
func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = prim.layer_norm %x weight %w bias %b axes 1 eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @attention
// CHECK: %[[MASK:.*]] = prim.reshape %{{.*}} : tensor<1x4x16x6xf32> -> tensor<4x16x6xf32>
// CHECK: prim.attention %arg0, %{{.*}}, %arg2 mask %[[MASK]] scale 2.500000e-01
func.func @attention(%q: tensor<4x16x8xf32>, %kt: tensor<4x8x6xf32>, %v: tensor<4x6x8xf32>, %m: tensor<1x1x16x6xf32>) -> tensor<4x16x8xf32> {
  %0 = prim.dot_general %q, %kt batch [0] x [0] contract [2] x [1] : tensor<4x16x8xf32>, tensor<4x8x6xf32> -> tensor<4x16x6xf32>
  %1 = prim.reshape %0 : tensor<4x16x6xf32> -> tensor<1x4x16x6xf32>
  %c = prim.constant dense<4.0> : tensor<1x4x16x6xf32>
  %2 = prim.div %1, %c : tensor<1x4x16x6xf32>
  %mb = prim.broadcast_in_dim %m dims [0, 1, 2, 3] : tensor<1x1x16x6xf32> -> tensor<1x4x16x6xf32>
  %3 = prim.add %2, %mb : tensor<1x4x16x6xf32>
  %4 = prim.softmax %3 dim 3 : tensor<1x4x16x6xf32>
  %5 = prim.reshape %4 : tensor<1x4x16x6xf32> -> tensor<4x16x6xf32>
  %6 = prim.dot_general %5, %v batch [0] x [0] contract [2] x [1] : tensor<4x16x6xf32>, tensor<4x6x8xf32> -> tensor<4x16x8xf32>
  return %6 : tensor<4x16x8xf32>
}
