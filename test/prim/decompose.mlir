// RUN: kiln-opt %s --prim-decompose | FileCheck %s
// RUN: kiln-opt %s --prim-decompose=ops=softmax | FileCheck %s --check-prefix=SOME
// RUN: not kiln-opt %s --prim-decompose=ops=softmix 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: prim-decompose: expected the mnemonic of a composite, found 'softmix'

// bf16 is computed in f32 and rounded once.
// CHECK-LABEL: func.func @silu
// CHECK: %[[X:.*]] = prim.convert_element_type %arg0 : tensor<4x?xbf16> -> tensor<4x?xf32>
// CHECK: %[[N:.*]] = prim.neg %[[X]]
// CHECK: %[[E:.*]] = prim.exp %[[N]]
// CHECK: %[[D:.*]] = prim.add %[[E]]
// CHECK: %[[Q:.*]] = prim.div %[[X]], %[[D]]
// CHECK: prim.convert_element_type %[[Q]] : tensor<4x?xf32> -> tensor<4x?xbf16>
// SOME-LABEL: func.func @silu
// SOME: prim.silu
func.func @silu(%x: tensor<4x?xbf16>) -> tensor<4x?xbf16> {
  %0 = prim.silu %x : tensor<4x?xbf16>
  return %0 : tensor<4x?xbf16>
}

// CHECK-LABEL: func.func @softmax
// CHECK: %[[MAX:.*]] = prim.amax %arg0 dims [0]
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %[[MAX]] dims [1]
// CHECK: %[[S:.*]] = prim.sub %arg0, %[[B]]
// CHECK: %[[E:.*]] = prim.exp %[[S]]
// CHECK: %[[SUM:.*]] = prim.sum %[[E]] dims [0]
// CHECK: %[[R:.*]] = prim.reciprocal %[[SUM]]
// SOME-LABEL: func.func @softmax
// SOME-NOT: prim.softmax
// SOME: return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = prim.softmax %x dim 0 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Where the number of elements is unknown, ones are added up.
// CHECK-LABEL: func.func @rms_norm
// CHECK: %[[ONES:.*]] = prim.full 1.000000e+00 : f32
// CHECK: %[[COUNT:.*]] = prim.sum %[[ONES]] dims [1]
// CHECK: prim.div %{{.*}}, %[[COUNT]]
// CHECK: prim.rsqrt
func.func @rms_norm(%x: tensor<4x?xf32>, %w: tensor<?xf32>) -> tensor<4x?xf32> {
  %0 = prim.rms_norm %x weight %w axes 1 eps 1.0e-5 : tensor<4x?xf32>, tensor<?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK-DAG: %[[N:.*]] = prim.constant dense<3.200000e+01> : tensor<f32>
// CHECK-DAG: %[[SUM:.*]] = prim.sum %arg0 dims [0, 1] : tensor<4x8xf32> -> tensor<f32>
// CHECK: %[[MEAN:.*]] = prim.div %[[SUM]], %[[N]]
func.func @layer_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = prim.layer_norm %x axes 2 eps 1.0e-5 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @attention
// CHECK: %[[S:.*]] = prim.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [2] : {{.*}} -> tensor<2x4x6xf32>
// CHECK: prim.mul %[[S]]
// CHECK: prim.amax
// CHECK: prim.dot_general %{{.*}}, %{{.*}} batch [0] x [0] contract [2] x [1] : tensor<2x4x6xf32>, tensor<2x6x8xf32>
func.func @attention(%q: tensor<2x4x8xbf16>, %k: tensor<2x6x8xbf16>) -> tensor<2x4x8xbf16> {
  %0 = prim.attention %q, %k, %k scale 0.125 : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>, tensor<2x6x8xbf16> -> tensor<2x4x8xbf16>
  return %0 : tensor<2x4x8xbf16>
}

// The logarithm of the sums comes from what the softmax is made of.
// CHECK-LABEL: func.func @attention_sums
// CHECK: %[[SUM:.*]] = prim.sum %{{.*}} dims [2] : tensor<2x4x6xf32> -> tensor<2x4xf32>
// CHECK: %[[LOG:.*]] = prim.log %[[SUM]]
// CHECK: %[[ALL:.*]] = prim.add %[[LOG]], %{{.*}} : tensor<2x4xf32>
// CHECK: prim.dot_general
// CHECK: return %{{.*}}, %[[ALL]]
func.func @attention_sums(%q: tensor<2x4x8xbf16>, %k: tensor<2x6x8xbf16>) -> (tensor<2x4x8xbf16>, tensor<2x4xf32>) {
  %0, %1 = prim.attention %q, %k, %k scale 0.125 : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>, tensor<2x6x8xbf16> -> tensor<2x4x8xbf16>, tensor<2x4xf32>
  return %0, %1 : tensor<2x4x8xbf16>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @attention_backward
// CHECK: prim.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [2] : {{.*}} -> tensor<2x4x6xf32>
// CHECK: %[[P:.*]] = prim.exp
// CHECK: prim.sum %{{.*}} dims [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
// CHECK: prim.dot_general {{.*}} contract [2] x [2] : tensor<2x4x8xf32>, tensor<2x6x8xf32> -> tensor<2x4x6xf32>
// CHECK: prim.mul %[[P]]
// CHECK: prim.dot_general {{.*}} contract [2] x [1] : tensor<2x4x6xf32>, tensor<2x6x8xf32> -> tensor<2x4x8xf32>
// CHECK: prim.dot_general {{.*}} contract [1] x [1] : tensor<2x4x6xf32>, tensor<2x4x8xf32> -> tensor<2x6x8xf32>
// CHECK: prim.dot_general %[[P]], %{{.*}} contract [1] x [1] : tensor<2x4x6xf32>, tensor<2x4x8xf32> -> tensor<2x6x8xf32>
func.func @attention_backward(%q: tensor<2x4x8xbf16>, %k: tensor<2x6x8xbf16>, %l: tensor<2x4xf32>) -> (tensor<2x4x8xbf16>, tensor<2x6x8xbf16>, tensor<2x6x8xbf16>) {
  %0:3 = prim.attention_backward %q, %k, %k output %q gradient %q logsumexp %l scale 0.125 : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>, tensor<2x6x8xbf16>, tensor<2x4x8xbf16>, tensor<2x4x8xbf16>, tensor<2x4xf32>
  return %0#0, %0#1, %0#2 : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>, tensor<2x6x8xbf16>
}

// Only elements inside of the input count.
// CHECK-LABEL: func.func @avg_pool
// CHECK: %[[LINE:.*]] = prim.constant dense<[2.000000e+00, 3.000000e+00, 3.000000e+00, 3.000000e+00]>
// CHECK: %[[SUM:.*]] = prim.sum_pool %arg0
// CHECK-DAG: %[[H:.*]] = prim.broadcast_in_dim %[[LINE]] dims [1]
// CHECK-DAG: %[[W:.*]] = prim.broadcast_in_dim %[[LINE]] dims [2]
// CHECK: %[[N:.*]] = prim.mul %[[H]], %[[W]]
// CHECK: prim.div %[[SUM]], %[[N]]
func.func @avg_pool(%x: tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = prim.avg_pool %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// Parts of wide elements are shifted down, those of narrow ones up.
// CHECK-LABEL: func.func @split
// CHECK: %[[B:.*]] = prim.bitcast %arg0 : tensor<?xf64> -> tensor<?xi64>
// CHECK: %[[A:.*]] = prim.broadcast_in_dim %[[B]] dims [0]
// CHECK: %[[S:.*]] = prim.shift_right_logical %[[A]], %{{.*}} : tensor<?x2xi64>
// CHECK: %[[C:.*]] = prim.convert_element_type %[[S]] : tensor<?x2xi64> -> tensor<?x2xi32>
// CHECK: return %[[C]]
func.func @split(%x: tensor<?xf64>) -> tensor<?x2xi32> {
  %0 = prim.bitcast_convert %x : tensor<?xf64> -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}

// CHECK-LABEL: func.func @join
// CHECK: %[[B:.*]] = prim.bitcast %arg0 : tensor<3x2xbf16> -> tensor<3x2xi16>
// CHECK: %[[C:.*]] = prim.convert_element_type %[[B]] from_unsigned : tensor<3x2xi16> -> tensor<3x2xi32>
// CHECK: %[[S:.*]] = prim.shift_left %[[C]]
// CHECK: %[[R:.*]] = prim.sum %[[S]] dims [1]
// CHECK: prim.bitcast %[[R]] : tensor<3xi32> -> tensor<3xf32>
func.func @join(%x: tensor<3x2xbf16>) -> tensor<3xf32> {
  %0 = prim.bitcast_convert %x : tensor<3x2xbf16> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
