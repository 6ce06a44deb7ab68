// A sum over a dimension without elements is the init, also where that is -0.0, which no sum of prim gives.
// RUN: kiln-run %s --target=reference --entry=empty | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=cpu --entry=empty | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=reference --entry=given --arg=zeros:f32:3x0 --arg=f32:-0.0 | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=reference --entry=open --arg=zeros:f32:3x0 | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=cpu --entry=open --arg=zeros:f32:3x0 | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=cpu --entry=open --arg=zeros:f32:3x2 | FileCheck %s --check-prefix=FULL
// RUN: kiln-compile %s --target=cpu --emit=prim | FileCheck %s --check-prefix=PRIM

// EMPTY: 3xf32: -inf, -inf, -inf
// FULL: 3xf32: inf, inf, inf

func.func @empty() -> tensor<3xf32> {
  %x = stablehlo.constant dense<> : tensor<3x0xf32>
  %minus = stablehlo.constant dense<-0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.reduce(%x init: %minus) applies stablehlo.add across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
  %r = stablehlo.divide %one, %0 : tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @given(%x: tensor<3x0xf32>, %init: tensor<f32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
  %r = stablehlo.divide %one, %0 : tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @open(%x: tensor<3x?xf32>) -> tensor<3xf32> {
  %minus = stablehlo.constant dense<-0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.reduce(%x init: %minus) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %r = stablehlo.divide %one, %0 : tensor<3xf32>
  return %r : tensor<3xf32>
}

// What is not empty needs no choice.
// PRIM-LABEL: @known
// PRIM-NEXT: prim.sum
// PRIM-NEXT: return
func.func @known(%x: tensor<3x2xf32>) -> tensor<3xf32> {
  %minus = stablehlo.constant dense<-0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %minus) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
