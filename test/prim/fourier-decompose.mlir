// What transforms are decomposed into gives the same numbers: short and long lengths, with and without divisors.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: kiln-run %s --target=reference --entry=complex --arg=random:1 --arg=random:2 --result=0:%t.0.npy --result=1:%t.1.npy
// RUN: kiln-run %t.mlir --target=reference --entry=complex --arg=random:1 --arg=random:2 --expect=0:%t.0.npy --expect=1:%t.1.npy --rtol=1e-5 --atol=1e-4
// RUN: kiln-run %s --target=reference --entry=real --arg=random:1 --result=0:%t.0.npy
// RUN: kiln-run %t.mlir --target=reference --entry=real --arg=random:1 --expect=0:%t.0.npy --rtol=1e-5 --atol=1e-4

// CHECK-LABEL: func.func @complex
// CHECK-NOT: prim.fourier
func.func @complex(%x: tensor<60x521xf32>, %y: tensor<60x521xf32>) -> (tensor<60x521xf32>, tensor<60x521xf32>) {
  %a, %b = prim.fourier %x, %y dim 1 : tensor<60x521xf32>, tensor<60x521xf32> -> tensor<60x521xf32>, tensor<60x521xf32>
  %c, %d = prim.fourier %a, %b dim 0 inverse : tensor<60x521xf32>, tensor<60x521xf32> -> tensor<60x521xf32>, tensor<60x521xf32>
  return %c, %d : tensor<60x521xf32>, tensor<60x521xf32>
}

// CHECK-LABEL: func.func @real
func.func @real(%x: tensor<3x300x2xf32>) -> tensor<3x300x2xf32> {
  %a, %b = prim.fourier %x dim 1 : tensor<3x300x2xf32> -> tensor<3x151x2xf32>, tensor<3x151x2xf32>
  %c = prim.fourier %a, %b dim 1 inverse : tensor<3x151x2xf32>, tensor<3x151x2xf32> -> tensor<3x300x2xf32>
  %d, %e = prim.fourier %c dim 2 : tensor<3x300x2xf32> -> tensor<3x300x2xf32>, tensor<3x300x2xf32>
  %r = prim.fourier %d, %e dim 2 inverse : tensor<3x300x2xf32>, tensor<3x300x2xf32> -> tensor<3x300x2xf32>
  return %r : tensor<3x300x2xf32>
}
