// A reduction over a dimension without elements is the init, also where that is -0.0, which no sum of prim gives.
// RUN: kiln-run %s --target=reference --entry=empty | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=cpu --entry=empty | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=reference --entry=given --arg=zeros:f32:3x0 --arg=f32:-0.0 | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=reference --entry=open --arg=zeros:f32:3x0 | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=cpu --entry=open --arg=zeros:f32:3x0 | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --target=cpu --entry=open --arg=zeros:f32:3x2 | FileCheck %s --check-prefix=FULL
// RUN: for target in reference cpu; do kiln-run %s --target=$target --entry=bits --arg=zeros:i32:3x0 || exit 1; \
// RUN:   kiln-run %s --target=$target --entry=pairs --arg=zeros:f32:0x2 --arg=zeros:i32:0x2 --arg=f32:4 --arg=i32:6 || exit 1; done | FileCheck %s --check-prefix=OTHERS
// RUN: kiln-compile %s --target=cpu --emit=prim | FileCheck %s --check-prefix=PRIM

// EMPTY: 3xf32: -inf, -inf, -inf
// FULL: 3xf32: inf, inf, inf

// Combiners of bits, and of pairs, along a dimension that is contiguous and has no elements.
// OTHERS: 3xi32: -1, -1, -1
// OTHERS-NEXT: f32: 4
// OTHERS-NEXT: i32: 6
// OTHERS-NEXT: 3xi32: -1, -1, -1
// OTHERS-NEXT: f32: 4
// OTHERS-NEXT: i32: 6
func.func @bits(%x: tensor<3x0xi32>) -> tensor<3xi32> {
  %ones = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %ones) applies stablehlo.and across dimensions = [1] : (tensor<3x0xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

func.func @pairs(%x: tensor<0x2xf32>, %y: tensor<0x2xi32>, %m: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0:2 = stablehlo.reduce(%x init: %m), (%y init: %n) across dimensions = [0, 1] : (tensor<0x2xf32>, tensor<0x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>)  {
    %1 = stablehlo.minimum %a, %b : tensor<f32>
    %2 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.select %2, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %1, %3 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}

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
