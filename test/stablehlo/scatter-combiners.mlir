// What scatters do beside what prim has a kind for.
// RUN: kiln-run %s --entry=minus --target=cpu --arg=random:1:f32:6 --arg=random:2:f32:4 --check --no-fallback
// RUN: kiln-run %s --entry=times --target=cpu --arg=random:1:f32:6x2 --arg=random:2:f32:2x2 --check --no-fallback
// RUN: kiln-compile %s --entry=minus --target=cpu --emit=prim | FileCheck %s
// RUN: kiln-compile %s --entry=times --target=cpu --emit=prim | FileCheck %s --check-prefix=TIMES

// Twice from one element.
// CHECK: prim.neg
// CHECK: prim.scatter add
func.func public @minus(%x: tensor<6xf32>, %u: tensor<4xf32>) -> tensor<6xf32> {
  %i = stablehlo.constant dense<[[1], [1], [3], [5]]> : tensor<4x1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %d = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<6xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// Complex numbers, each at most once.
// TIMES-COUNT-3: prim.scatter set
func.func public @times(%x: tensor<6xcomplex<f32>>, %u: tensor<2xcomplex<f32>>) -> tensor<6xcomplex<f32>> {
  %i = stablehlo.constant dense<[[4], [1]]> : tensor<2x1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %d = stablehlo.multiply %a, %b : tensor<complex<f32>>
    stablehlo.return %d : tensor<complex<f32>>
  }) : (tensor<6xcomplex<f32>>, tensor<2x1xi32>, tensor<2xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  return %0 : tensor<6xcomplex<f32>>
}
