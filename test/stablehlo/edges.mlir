// Numbers at the edges: NaNs have signs where elements are ordered, and quotients of complex numbers have infinities.
// RUN: kiln-run %s --target=reference --entry=largest | FileCheck %s --check-prefix=LARGEST
// RUN: kiln-run %s --target=cpu --entry=largest | FileCheck %s --check-prefix=LARGEST
// RUN: kiln-run %s --target=reference --entry=quotients | FileCheck %s --check-prefix=QUOTIENTS
// RUN: kiln-run %s --target=cpu --entry=quotients | FileCheck %s --check-prefix=QUOTIENTS

// LARGEST: 7xi32: 1, 0, 4, 6, 5, 3, 2
func.func @largest() -> tensor<7xi32> {
  %x = stablehlo.constant dense<[0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, 3.0, -0.0, 0.0]> : tensor<7xf32>
  %v, %i = chlo.top_k(%x, k = 7) : tensor<7xf32> -> (tensor<7xf32>, tensor<7xi32>)
  return %i : tensor<7xi32>
}

// (1, -2) / 0, (inf, 1) / (2, 1), (1, 1) / (inf, nan), 0 / 0, (3, 4) / (1, 2)
// QUOTIENTS: 5x2xf32: inf, -inf, inf, -inf, 0, 0, {{-?nan, -?nan}}, 2.2{{[0-9]*}}, -0.4
func.func @quotients() -> tensor<5xcomplex<f32>> {
  %x = stablehlo.constant dense<[(1.0, -2.0), (0x7F800000, 1.0), (1.0, 1.0), (0.0, 0.0), (3.0, 4.0)]> : tensor<5xcomplex<f32>>
  %y = stablehlo.constant dense<[(0.0, 0.0), (2.0, 1.0), (0x7F800000, 0x7FC00000), (0.0, 0.0), (1.0, 2.0)]> : tensor<5xcomplex<f32>>
  %r = stablehlo.divide %x, %y : tensor<5xcomplex<f32>>
  return %r : tensor<5xcomplex<f32>>
}
