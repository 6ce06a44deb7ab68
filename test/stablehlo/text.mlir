// The pretty and the generic text of StableHLO: what is printed reads the same.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @elements
func.func @elements(%a: tensor<4xf32>, %p: tensor<4xi1>) -> tensor<4xcomplex<f32>> {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  // CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare  LT, %a, %0,  FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %2 = stablehlo.select %1, %a, %0 : tensor<4xi1>, tensor<4xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<4xf32>
  %3 = stablehlo.reduce_precision %2, format = e5m10 : tensor<4xf32>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xui8>
  %4 = stablehlo.convert %3 : (tensor<4xf32>) -> tensor<4xui8>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4xcomplex<f32>>
  %5 = stablehlo.complex %3, %3 : tensor<4xcomplex<f32>>
  // CHECK: stablehlo.exponential %{{.*}} {result_accuracy = #stablehlo.result_accuracy<
  %6 = stablehlo.exponential %3 {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return %5 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<3x8xf32>, %i: tensor<i64>, %v: tensor<f32>) -> tensor<2x2xf32> {
  // CHECK: stablehlo.slice %{{.*}} [1:3, 4:8:2] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  %0 = stablehlo.slice %x [1:3, 4:8:2] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 4]
  %1 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<3x8xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0
  %2 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, 0], high = [-2, 1], interior = [1, 0]
  %3 = stablehlo.pad %2, %v, low = [1, 0], high = [-2, 1], interior = [1, 0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<6x3xf32>
  // CHECK: stablehlo.constant dense<1> : tensor<2xui16>
  %4 = stablehlo.constant dense<1> : tensor<2xui16>
  // CHECK: #stablehlo.gather<offset_dims = [2], start_index_map = [1], index_vector_dim = 1>
  %5 = "stablehlo.gather"(%x, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x8xf32>, tensor<2xui16>) -> tensor<2x1x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @regions
func.func @regions(%x: tensor<4x6xf32>, %i: tensor<4x6xi32>, %z: tensor<f32>, %n: tensor<i32>) -> (tensor<6xf32>, tensor<i32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [0]
  // CHECK: stablehlo.maximum
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  // CHECK: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) (%[[C:.*]]: tensor<i32>, %[[D:.*]]: tensor<i32>)
  // CHECK: stablehlo.return %[[A]], %[[D]]
  %1:2 = stablehlo.reduce(%x init: %z), (%i init: %n) across dimensions = [0] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    stablehlo.return %a, %d : tensor<f32>, tensor<i32>
  }
  // CHECK: stablehlo.while(%[[I:.*]] = %{{.*}}) : tensor<i32>
  // CHECK: cond {
  // CHECK: } do {
  %2 = stablehlo.while(%iter = %n) : tensor<i32>
   cond {
    %3 = stablehlo.compare LT, %iter, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    stablehlo.return %iter : tensor<i32>
  }
  return %0, %2 : tensor<6xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @products
func.func @products(%a: tensor<2x4x3xf32>, %b: tensor<2x3x5xf32>, %x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x4x5xf32> {
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST]
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[}}[1, 1], [0, 2]], reverse = [true, false]}
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 2]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<2x4x5xf32>
}

// CHECK-LABEL: func.func @values
func.func @values(%a: tensor<2xf32>, %t: !stablehlo.token) -> tensor<2xf32> {
  // CHECK: stablehlo.custom_call @"a name"(%{{.*}}) {has_side_effect = true}
  stablehlo.custom_call @"a name"(%a) {has_side_effect = true} : (tensor<2xf32>) -> ()
  // CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<2xf32>, !stablehlo.token>
  %0 = stablehlo.tuple %a, %t : tuple<tensor<2xf32>, !stablehlo.token>
  // CHECK: stablehlo.get_tuple_element %{{.*}}[0]
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
  // CHECK: stablehlo.after_all %{{.*}} : !stablehlo.token
  %2 = stablehlo.after_all %t : !stablehlo.token
  // CHECK: stablehlo.optimization_barrier %{{.*}} : tensor<2xf32>
  %3 = stablehlo.optimization_barrier %1 : tensor<2xf32>
  // CHECK: chlo.top_k(%{{.*}}, k = 1)
  %4, %5 = chlo.top_k(%3, k = 1) : tensor<2xf32> -> (tensor<1xf32>, tensor<1xi32>)
  return %3 : tensor<2xf32>
}

// A comma may stand behind the last field; what is empty is not printed.
// CHECK-LABEL: func.func @fields
func.func @fields(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>) -> (tensor<2x4xf32>, tensor<3x3xf32>) {
  // CHECK: #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
  %0 = "stablehlo.gather"(%x, %i) {
    dimension_numbers = #stablehlo.gather<
      start_index_map = [0],
      offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [],
      index_vector_dim = 1,
    >,
    slice_sizes = array<i64: 1, 4>
  } : (tensor<3x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
  // CHECK: contracting_dims = [1] x [1]
  %1 = "stablehlo.dot_general"(%x, %x) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [1],
    >
  } : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<3x3xf32>
}

func.func private @half(%x: tensor<4xf32>) -> tensor<4xf32>

// CHECK-LABEL: func.func @composites
func.func @composites(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.composite "mine.half" %{{.*}} {decomposition = @half, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = stablehlo.composite "mine.half" %x {decomposition = @half, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.composite "mine.half" %{{.*}} ({
  // CHECK: }, {
  // CHECK: }) {composite_attributes = {n = 1 : i64}, decomposition = @half} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "mine.half" %0 ({
    %a = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) {composite_attributes = {n = 1 : i64}, decomposition = @half} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_inputs
func.func @no_inputs() {
  // CHECK: stablehlo.composite "mine.nothing" {decomposition = @half} : () -> ()
  stablehlo.composite "mine.nothing" {decomposition = @half} : () -> ()
  return
}
