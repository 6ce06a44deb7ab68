// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<4x8xf32>, %v: tensor<8xf32>, %d: tensor<?x8xf32>, %n: index) {
  // CHECK: prim.broadcast_in_dim %{{.*}} dims [1] sizes(%{{.*}}) : tensor<8xf32> -> tensor<?x8xf32>
  %0 = prim.broadcast_in_dim %v dims [1] sizes (%n) : tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: prim.reshape %{{.*}} sizes(%{{.*}}) : tensor<?x8xf32> -> tensor<?xf32>
  %1 = prim.reshape %d sizes (%n) : tensor<?x8xf32> -> tensor<?xf32>
  // CHECK: prim.transpose %{{.*}} permutation [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = prim.transpose %x permutation [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: prim.slice %{{.*}} starts [0, 2] limits [-1, 6] strides [1, 2] : tensor<?x8xf32> -> tensor<?x2xf32>
  %3 = prim.slice %d starts [0, 2] limits [-1, 6] strides [1, 2] : tensor<?x8xf32> -> tensor<?x2xf32>
  // CHECK: prim.rev %{{.*}} dims [0] : tensor<4x8xf32>
  %4 = prim.rev %x dims [0] : tensor<4x8xf32>
  // CHECK: prim.cat %{{.*}}, %{{.*}} dim 0 : tensor<4x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %5 = prim.cat %x, %d dim 0 : tensor<4x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  // CHECK: prim.pad %{{.*}} low [1, 0] high [0, 2] value 0.000000e+00 : f32 : tensor<4x8xf32> -> tensor<5x10xf32>
  %6 = prim.pad %x low [1, 0] high [0, 2] value 0.0 : f32 : tensor<4x8xf32> -> tensor<5x10xf32>
  return
}

// FOLD-LABEL: func.func @identity
// FOLD: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @identity(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>,
    tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = prim.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = prim.slice %x starts [0, 0] limits [-1, 8] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = prim.broadcast_in_dim %x dims [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %t = prim.transpose %x permutation [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %3 = prim.transpose %t permutation [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %r = prim.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %4 = prim.reshape %r : tensor<32xf32> -> tensor<4x8xf32>
  %5 = prim.pad %x low [0, 0] high [0, 0] value 0.0 : f32 : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>,
    tensor<4x8xf32>, tensor<4x8xf32>
}

// With two unknown sizes a reshape to the same type may still move elements.
// FOLD-LABEL: func.func @two_unknown
// FOLD: %[[R:.*]] = prim.reshape %arg0 sizes(%arg1, %arg2)
// FOLD: return %[[R]], %arg0
func.func @two_unknown(%x: tensor<?x?xf32>, %m: index, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = prim.reshape %x sizes (%m, %n) : tensor<?x?xf32> -> tensor<?x?xf32>
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %1 = prim.reshape %x sizes (%d0, %d1) : tensor<?x?xf32> -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// FOLD-LABEL: func.func @combine
// FOLD-DAG: prim.broadcast_in_dim %arg0 dims [2] : tensor<8xf32> -> tensor<2x4x8xf32>
// FOLD-DAG: prim.slice %arg1 starts [5] limits [12] strides [6] : tensor<32xf32> -> tensor<2xf32>
// FOLD-DAG: prim.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi32>
func.func @combine(%v: tensor<8xf32>, %x: tensor<32xf32>) -> (tensor<2x4x8xf32>, tensor<2xf32>, tensor<2x2xi32>) {
  %0 = prim.reshape %v : tensor<8xf32> -> tensor<1x8xf32>
  %1 = prim.broadcast_in_dim %0 dims [1, 2] : tensor<1x8xf32> -> tensor<2x4x8xf32>
  %2 = prim.slice %x starts [2] limits [-1] strides [3] : tensor<32xf32> -> tensor<10xf32>
  %3 = prim.slice %2 starts [1] limits [5] strides [2] : tensor<10xf32> -> tensor<2xf32>
  %c = prim.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %4 = prim.transpose %c permutation [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
  return %1, %3, %4 : tensor<2x4x8xf32>, tensor<2xf32>, tensor<2x2xi32>
}

// A blob keeps its bytes.
// FOLD-LABEL: func.func @blob
// FOLD: prim.constant dense_resource<blob> : tensor<2x1xf32>
func.func @blob() -> tensor<2x1xf32> {
  %0 = prim.constant dense_resource<blob> : tensor<2xf32>
  %1 = prim.reshape %0 : tensor<2xf32> -> tensor<2x1xf32>
  return %1 : tensor<2x1xf32>
}

{-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-}

// A slice that one operand of a concatenation has reads that operand alone.
// FOLD-LABEL: func.func @slices_of_cat
// FOLD-DAG: prim.slice %arg1 starts [1, 0] limits [4, 2] strides [2, 1] : tensor<4x3xf32> -> tensor<2x2xf32>
// FOLD-DAG: prim.cat
// FOLD: return %arg0
func.func @slices_of_cat(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>) {
  %c = prim.cat %x, %y dim 0 : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<6x3xf32>
  %0 = prim.slice %c starts [0, 0] limits [2, 3] strides [1, 1] : tensor<6x3xf32> -> tensor<2x3xf32>
  %1 = prim.slice %c starts [3, 0] limits [-1, 2] strides [2, 1] : tensor<6x3xf32> -> tensor<2x2xf32>
  %2 = prim.slice %c starts [1, 0] limits [3, 3] strides [1, 1] : tensor<6x3xf32> -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>
}

// Sizes that only a call knows are compared by the concatenation, which stays.
// FOLD-LABEL: func.func @slice_of_open_cat
// FOLD: prim.cat
func.func @slice_of_open_cat(%x: tensor<2x?xf32>, %y: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %c = prim.cat %x, %y dim 0 : tensor<2x?xf32>, tensor<4x3xf32> -> tensor<6x3xf32>
  %0 = prim.slice %c starts [0, 0] limits [2, 3] strides [1, 1] : tensor<6x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
