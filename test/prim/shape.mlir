// RUN: kiln-opt %s --prim-simplify | FileCheck %s

// Sizes of results in terms of those of the operands.

// CHECK-LABEL: func.func @slice
// CHECK: %[[D:.*]] = tensor.dim %arg0
// CHECK: %[[S:.*]] = arith.addi %[[D]], %{{.*}}
// CHECK: %[[C:.*]] = arith.ceildivsi %[[S]]
// CHECK: return %[[C]]
func.func @slice(%x: tensor<?x8xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = prim.slice %x starts [1, 0] limits [-1, 8] strides [2, 1] : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = tensor.dim %0, %c0 : tensor<?x8xf32>
  return %1 : index
}

// CHECK-LABEL: func.func @dot
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg1, %c1
// CHECK: return %[[M]], %[[N]]
func.func @dot(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<?x8xf32>, tensor<8x?xf32> -> tensor<?x?xf32>
  %1 = prim.exp %0 : tensor<?x?xf32>
  %2 = tensor.dim %1, %c0 : tensor<?x?xf32>
  %3 = tensor.dim %1, %c1 : tensor<?x?xf32>
  return %2, %3 : index, index
}

// floor((n + 1 + 1 - 3) / 2) + 1
// CHECK-LABEL: func.func @conv
// CHECK: %[[D:.*]] = tensor.dim %arg0
// CHECK: %[[R:.*]] = arith.addi %[[D]], %c-1
// CHECK: %[[Q:.*]] = arith.floordivsi %[[R]], %c2
// CHECK: %[[P:.*]] = arith.addi %[[Q]], %c1
// CHECK: return %[[P]]
func.func @conv(%x: tensor<1x?x16xf32>, %w: tensor<32x3x16xf32>) -> index {
  %c1 = arith.constant 1 : index
  %0 = prim.conv %x, %w {strides = array<i64: 2>, pad_low = array<i64: 1>, pad_high = array<i64: 1>,
    dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 1 : i64}
    : tensor<1x?x16xf32>, tensor<32x3x16xf32> -> tensor<1x?x32xf32>
  %1 = tensor.dim %0, %c1 : tensor<1x?x32xf32>
  return %1 : index
}

// Through a group, to its inputs.
// CHECK-LABEL: func.func @fusion
// CHECK: %[[D:.*]] = tensor.dim %arg0
// CHECK: %[[S:.*]] = arith.addi %[[D]], %[[D]]
// CHECK: return %[[S]]
func.func @fusion(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = prim.fusion elementwise (%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %1 = prim.neg %a : tensor<?xf32>
    %2 = prim.cat %1, %a dim 0 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    prim.yield %2 : tensor<?xf32>
  }
  %3 = tensor.dim %0, %c0 : tensor<?xf32>
  return %3 : index
}
