// An element of a window that lies outside of the operand is dropped by itself, as the specification of StableHLO says of each
// index of the updates; the other elements of that window count.
// RUN: kiln-run %s --target=reference | FileCheck %s
// RUN: kiln-run %s --target=cpu --no-fallback | FileCheck %s
// With windows=whole, as XLA does and JAX counts on, such a window is dropped whole.
// RUN: kiln-compile %s --frontend=stablehlo,windows=whole --target=cpu --no-fallback -o %t.kiln
// RUN: kiln-run %t.kiln --target=cpu | FileCheck %s --check-prefix=WHOLE
// RUN: kiln-opt %s --convert-stablehlo-to-prim=windows=whole -o %t.prim.mlir
// RUN: kiln-run %t.prim.mlir --target=reference | FileCheck %s --check-prefix=WHOLE
// RUN: not kiln-opt %s --convert-stablehlo-to-prim=windows=half 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: expected windows=whole, found 'half'

// Windows of two rows and two columns at (0, 0), (2, 1), (-1, 0) and (1, 2).
// CHECK: 3x3xf32: 4, 4, 0, 1, 1, 4, 0, 2, 6
// CHECK: 3x3xf32: 3, 3, 1, 1, 1, 4, 1, 2, 4
// CHECK: 3x3xf32: 9, 9, 1, 0, 0, 15, 1, 3, 13
// WHOLE: 3x3xf32: 1, 1, 0, 1, 1, 0, 0, 0, 0
// WHOLE: 3x3xf32: 1, 1, 1, 1, 1, 1, 1, 1, 1
// WHOLE: 3x3xf32: 0, 0, 1, 0, 0, 1, 1, 1, 1
func.func @main() -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<3x3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3x3xf32>
  %i = stablehlo.constant dense<[[0, 0], [2, 1], [-1, 0], [1, 2]]> : tensor<4x2xi32>
  %n = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %u = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<4xf32>) -> tensor<4x2x2xf32>
  %sum = "stablehlo.scatter"(%zero, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x3xf32>, tensor<4x2xi32>, tensor<4x2x2xf32>) -> tensor<3x3xf32>
  %set = "stablehlo.scatter"(%one, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x3xf32>, tensor<4x2xi32>, tensor<4x2x2xf32>) -> tensor<3x3xf32>
  // A function that prim has no scatter for: the square of the larger one, less the operand.
  %loop = "stablehlo.scatter"(%one, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.maximum %a, %b : tensor<f32>
    %p = stablehlo.multiply %t, %t : tensor<f32>
    %q = stablehlo.subtract %p, %a : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<3x3xf32>, tensor<4x2xi32>, tensor<4x2x2xf32>) -> tensor<3x3xf32>
  return %sum, %set, %loop : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
}
