// Scatters of functions that prim has no scatter for: element by element, so that what is written twice is combined twice.
// RUN: kiln-run %s --target=reference | FileCheck %s
// RUN: kiln-run %s --target=cpu --no-fallback | FileCheck %s

// 2 x + u at 1, 1, 3 and outside; complex products at 0, 0 and 1.
// CHECK: 4xf32: 1, 15, 3, 11
// CHECK: 2x2xf32: -1, 0, 0, 2
func.func @main() -> (tensor<4xf32>, tensor<2xcomplex<f32>>) {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %i = stablehlo.constant dense<[[1], [1], [3], [9]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[1.0, 5.0, 3.0, 7.0]> : tensor<4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.multiply %a, %two : tensor<f32>
    %s = stablehlo.add %m, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>
  %z = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
  %j = stablehlo.constant dense<[[0], [0], [1]]> : tensor<3x1xi32>
  %w = stablehlo.constant dense<(0.0, 1.0)> : tensor<3xcomplex<f32>>
  %q = "stablehlo.scatter"(%z, %j, %w) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %m = stablehlo.multiply %a, %b : tensor<complex<f32>>
    stablehlo.return %m : tensor<complex<f32>>
  }) : (tensor<2xcomplex<f32>>, tensor<3x1xi32>, tensor<3xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %r, %q : tensor<4xf32>, tensor<2xcomplex<f32>>
}
