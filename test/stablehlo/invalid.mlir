// Text that is wrong, and programs that are not supported, are errors at their places.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --convert-stablehlo-to-prim

func.func @counts(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  // expected-error@+1 {{expected 2 numbers in permutation, found 1}}
  %0 = "stablehlo.transpose"(%x) <{permutation = array<i64: 0>}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

func.func @dims(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  // expected-error@+1 {{expected distinct dimensions below 2 in dimensions, found 2}}
  %0 = stablehlo.reverse %x, dims = [2] : tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

func.func @call(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{unsupported: stablehlo.custom_call of 'mine'}}
  %0 = stablehlo.custom_call @mine(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @format(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{expected a format such as e5m10}}
  %0 = stablehlo.reduce_precision %x, format = five : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @letters(%x: tensor<1x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'b' stands twice}}
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, b]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x3xf32>, tensor<3x3x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @exchange(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{unsupported: stablehlo.all_reduce with a function that is not one operation}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    %2 = stablehlo.add %1, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @region(%x: tensor<3xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{expected a region of 2 arguments, found 1}}
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
