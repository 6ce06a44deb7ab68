// A value that is read twice in each step of a chain is compared once: else this takes 2^40 steps.
// RUN: kiln-compile %s --frontend=stablehlo --target=cpu --emit=prim -o - | FileCheck %s
// CHECK: prim.sort
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %a1 = stablehlo.multiply %a0, %a0 : tensor<f32>
    %a2 = stablehlo.multiply %a1, %a1 : tensor<f32>
    %a3 = stablehlo.multiply %a2, %a2 : tensor<f32>
    %a4 = stablehlo.multiply %a3, %a3 : tensor<f32>
    %a5 = stablehlo.multiply %a4, %a4 : tensor<f32>
    %a6 = stablehlo.multiply %a5, %a5 : tensor<f32>
    %a7 = stablehlo.multiply %a6, %a6 : tensor<f32>
    %a8 = stablehlo.multiply %a7, %a7 : tensor<f32>
    %a9 = stablehlo.multiply %a8, %a8 : tensor<f32>
    %a10 = stablehlo.multiply %a9, %a9 : tensor<f32>
    %a11 = stablehlo.multiply %a10, %a10 : tensor<f32>
    %a12 = stablehlo.multiply %a11, %a11 : tensor<f32>
    %a13 = stablehlo.multiply %a12, %a12 : tensor<f32>
    %a14 = stablehlo.multiply %a13, %a13 : tensor<f32>
    %a15 = stablehlo.multiply %a14, %a14 : tensor<f32>
    %a16 = stablehlo.multiply %a15, %a15 : tensor<f32>
    %a17 = stablehlo.multiply %a16, %a16 : tensor<f32>
    %a18 = stablehlo.multiply %a17, %a17 : tensor<f32>
    %a19 = stablehlo.multiply %a18, %a18 : tensor<f32>
    %a20 = stablehlo.multiply %a19, %a19 : tensor<f32>
    %a21 = stablehlo.multiply %a20, %a20 : tensor<f32>
    %a22 = stablehlo.multiply %a21, %a21 : tensor<f32>
    %a23 = stablehlo.multiply %a22, %a22 : tensor<f32>
    %a24 = stablehlo.multiply %a23, %a23 : tensor<f32>
    %a25 = stablehlo.multiply %a24, %a24 : tensor<f32>
    %a26 = stablehlo.multiply %a25, %a25 : tensor<f32>
    %a27 = stablehlo.multiply %a26, %a26 : tensor<f32>
    %a28 = stablehlo.multiply %a27, %a27 : tensor<f32>
    %a29 = stablehlo.multiply %a28, %a28 : tensor<f32>
    %a30 = stablehlo.multiply %a29, %a29 : tensor<f32>
    %a31 = stablehlo.multiply %a30, %a30 : tensor<f32>
    %a32 = stablehlo.multiply %a31, %a31 : tensor<f32>
    %a33 = stablehlo.multiply %a32, %a32 : tensor<f32>
    %a34 = stablehlo.multiply %a33, %a33 : tensor<f32>
    %a35 = stablehlo.multiply %a34, %a34 : tensor<f32>
    %a36 = stablehlo.multiply %a35, %a35 : tensor<f32>
    %a37 = stablehlo.multiply %a36, %a36 : tensor<f32>
    %a38 = stablehlo.multiply %a37, %a37 : tensor<f32>
    %a39 = stablehlo.multiply %a38, %a38 : tensor<f32>
    %a40 = stablehlo.multiply %a39, %a39 : tensor<f32>
    %b1 = stablehlo.multiply %b0, %b0 : tensor<f32>
    %b2 = stablehlo.multiply %b1, %b1 : tensor<f32>
    %b3 = stablehlo.multiply %b2, %b2 : tensor<f32>
    %b4 = stablehlo.multiply %b3, %b3 : tensor<f32>
    %b5 = stablehlo.multiply %b4, %b4 : tensor<f32>
    %b6 = stablehlo.multiply %b5, %b5 : tensor<f32>
    %b7 = stablehlo.multiply %b6, %b6 : tensor<f32>
    %b8 = stablehlo.multiply %b7, %b7 : tensor<f32>
    %b9 = stablehlo.multiply %b8, %b8 : tensor<f32>
    %b10 = stablehlo.multiply %b9, %b9 : tensor<f32>
    %b11 = stablehlo.multiply %b10, %b10 : tensor<f32>
    %b12 = stablehlo.multiply %b11, %b11 : tensor<f32>
    %b13 = stablehlo.multiply %b12, %b12 : tensor<f32>
    %b14 = stablehlo.multiply %b13, %b13 : tensor<f32>
    %b15 = stablehlo.multiply %b14, %b14 : tensor<f32>
    %b16 = stablehlo.multiply %b15, %b15 : tensor<f32>
    %b17 = stablehlo.multiply %b16, %b16 : tensor<f32>
    %b18 = stablehlo.multiply %b17, %b17 : tensor<f32>
    %b19 = stablehlo.multiply %b18, %b18 : tensor<f32>
    %b20 = stablehlo.multiply %b19, %b19 : tensor<f32>
    %b21 = stablehlo.multiply %b20, %b20 : tensor<f32>
    %b22 = stablehlo.multiply %b21, %b21 : tensor<f32>
    %b23 = stablehlo.multiply %b22, %b22 : tensor<f32>
    %b24 = stablehlo.multiply %b23, %b23 : tensor<f32>
    %b25 = stablehlo.multiply %b24, %b24 : tensor<f32>
    %b26 = stablehlo.multiply %b25, %b25 : tensor<f32>
    %b27 = stablehlo.multiply %b26, %b26 : tensor<f32>
    %b28 = stablehlo.multiply %b27, %b27 : tensor<f32>
    %b29 = stablehlo.multiply %b28, %b28 : tensor<f32>
    %b30 = stablehlo.multiply %b29, %b29 : tensor<f32>
    %b31 = stablehlo.multiply %b30, %b30 : tensor<f32>
    %b32 = stablehlo.multiply %b31, %b31 : tensor<f32>
    %b33 = stablehlo.multiply %b32, %b32 : tensor<f32>
    %b34 = stablehlo.multiply %b33, %b33 : tensor<f32>
    %b35 = stablehlo.multiply %b34, %b34 : tensor<f32>
    %b36 = stablehlo.multiply %b35, %b35 : tensor<f32>
    %b37 = stablehlo.multiply %b36, %b36 : tensor<f32>
    %b38 = stablehlo.multiply %b37, %b37 : tensor<f32>
    %b39 = stablehlo.multiply %b38, %b38 : tensor<f32>
    %b40 = stablehlo.multiply %b39, %b39 : tensor<f32>
    %less = stablehlo.compare LT, %a40, %b40, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
