// RUN: kiln-opt %s --split-input-file --convert-stablehlo-to-prim --verify-diagnostics | FileCheck %s

// Larger matrices are the host's.
// CHECK-LABEL: func.func @larger
// CHECK: prim.cholesky %{{.*}} : tensor<1x40x40xf32>
// CHECK: prim.triangular_solve %{{.*}}, %{{.*}} lower unit : tensor<1x40x40xf32>, tensor<1x40x2xf32>
func.func @larger(%a: tensor<40x40xf32>, %b: tensor<2x40xf32>) -> tensor<2x40xf32> {
  %l = stablehlo.cholesky %a, lower = false : tensor<40x40xf32>
  %r = "stablehlo.triangular_solve"(%l, %b) {left_side = false, lower = false, unit_diagonal = true,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<40x40xf32>, tensor<2x40xf32>) -> tensor<2x40xf32>
  return %r : tensor<2x40xf32>
}

// -----

// CHECK-LABEL: func.func @calls
// CHECK: prim.svd %{{.*}} full : tensor<2x4x3xf64>
func.func @calls(%a: tensor<2x4x3xf64>) -> (tensor<2x4x4xf64>, tensor<2x3xf64>, tensor<2x3x3xf64>, tensor<2xi32>) {
  %u, %s, %vt, %i = stablehlo.custom_call @"kiln.svd full"(%a) : (tensor<2x4x3xf64>) -> (tensor<2x4x4xf64>, tensor<2x3xf64>, tensor<2x3x3xf64>, tensor<2xi32>)
  return %u, %s, %vt, %i : tensor<2x4x4xf64>, tensor<2x3xf64>, tensor<2x3x3xf64>, tensor<2xi32>
}

// -----

func.func @soup(%a: tensor<4x4xf64>) -> tensor<4x4xf64> {
  // expected-error@+1 {{unsupported: stablehlo.custom_call of 'kiln.soup'}}
  %0 = stablehlo.custom_call @kiln.soup(%a) : (tensor<4x4xf64>) -> tensor<4x4xf64>
  return %0 : tensor<4x4xf64>
}

// -----

func.func @flag(%a: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<i32>) {
  // expected-error@+1 {{needs prim.cholesky with 'full'}}
  %0:2 = stablehlo.custom_call @"kiln.cholesky full"(%a) : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<i32>)
  return %0#0, %0#1 : tensor<4x4xf64>, tensor<i32>
}

// -----

func.func @type(%a: tensor<4x4xf16>) -> (tensor<4x4xf16>, tensor<i32>) {
  // expected-error@+1 {{of 'kiln.cholesky' on tensor<4x4xf16>}}
  %0:2 = stablehlo.custom_call @kiln.cholesky(%a) : (tensor<4x4xf16>) -> (tensor<4x4xf16>, tensor<i32>)
  return %0#0, %0#1 : tensor<4x4xf16>, tensor<i32>
}
