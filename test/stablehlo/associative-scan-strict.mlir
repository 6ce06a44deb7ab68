// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modes without `reassoc` keep the order in which a scan combines floats: it is not claimed. Integers may be regrouped.
// RUN: sed -n '/^func.func @last_only/,/^}/p' %S/associative-scan.mlir > %t.integers.mlir
// RUN: sed 's/i32/f32/g; s/dense<0>/dense<0.0>/' %t.integers.mlir > %t.floats.mlir
// RUN: for modes in strict contract; do \
// RUN:   kiln-compile %t.integers.mlir --target=cpu --numerics=$modes --explain -o %t.kiln | FileCheck %s --check-prefix=CLAIMED || exit 1; \
// RUN:   kiln-compile %t.floats.mlir --target=cpu --numerics=$modes --explain -o %t.kiln | FileCheck %s --check-prefix=KEPT || exit 1; done
// RUN: kiln-compile %t.floats.mlir --target=cpu --numerics=contract,reassoc --explain -o %t.kiln | FileCheck %s --check-prefix=CLAIMED
// RUN: kiln-compile %t.floats.mlir --target=cpu --explain -o %t.kiln | FileCheck %s --check-prefix=CLAIMED
// CLAIMED: prim.claim -> generic.associative_scan
// KEPT-NOT: generic.associative_scan
//
// The last sum is that of the recursion, (a + b) + (c + d): 1 is lost beside 1e8 twice. One after the other they make 1.
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.array([1e8, 1, -1e8, 1], 'float32'))"
// RUN: kiln-run %s --target=cpu -X --numerics=strict --arg=%t.npy | FileCheck %s --check-prefix=ORDER
// ORDER: 4xf32: 100000000, 100000000, 0, 0
//
// RUN: kiln-opt %s --convert-stablehlo-to-prim --kiln-set-numerics=modes=strict | FileCheck %s --check-prefix=MODULE
// MODULE: module attributes {kiln.asked = {keep_order = [unit, 
// RUN: kiln-opt %s --convert-stablehlo-to-prim --kiln-set-numerics=modes=reassoc | FileCheck %s --check-prefix=NONE
// NONE-NOT: keep_order

func.func @floats(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %arg0 [0:3:2] : (tensor<4xf32>) -> tensor<2xf32>
  %1 = stablehlo.slice %arg0 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  %3 = stablehlo.slice %2 [0:1:2] : (tensor<2xf32>) -> tensor<1xf32>
  %4 = stablehlo.slice %2 [1:2:2] : (tensor<2xf32>) -> tensor<1xf32>
  %5 = stablehlo.add %3, %4 : tensor<1xf32>
  %6 = stablehlo.slice %2 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %7 = stablehlo.pad %6, %zero, low = [0], high = [1], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %8 = stablehlo.pad %5, %zero, low = [1], high = [0], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %9 = stablehlo.add %7, %8 : tensor<2xf32>
  %10 = stablehlo.slice %9 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %11 = stablehlo.slice %arg0 [2:4:2] : (tensor<4xf32>) -> tensor<1xf32>
  %12 = stablehlo.add %10, %11 : tensor<1xf32>
  %13 = stablehlo.slice %arg0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %14 = stablehlo.concatenate %13, %12, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %15 = stablehlo.pad %14, %zero, low = [0], high = [1], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %16 = stablehlo.pad %9, %zero, low = [1], high = [0], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %17 = stablehlo.add %15, %16 : tensor<4xf32>
  return %17 : tensor<4xf32>
}
