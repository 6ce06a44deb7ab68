// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed again in the layout of a product's sums may have constants as operands, which already have a layout: each gets
// another constant.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' | FileCheck %s
// RUN: kiln-run %s --entry=chosen --target=reference,threads=nvidia:sm_90a --grid=1 --arg=random:1:f16:64x64 --arg=random:2:f16:64x64 --arg=random:3:f32:64 \
// RUN:   --arg=zeros:f32:64x64 --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: argument 3 (o): ok: 64x64xf32

// CHECK-LABEL: tile.kernel @chosen
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<64xf32, #simt.layout<rank = 1, register = {{\[}}[8]]
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<64xf32, #simt.layout<rank = 1, register = {{\[}}[8]]
// CHECK: arith.select %{{.*}}, %[[ONE]], %[[HALF]]
tile.kernel @chosen(%a: !tile.view<64x64xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<64x64xf16> {tile.readonly, tile.align = 16 : i64},
                    %x: !tile.view<64xf32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<64x64xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %half = arith.constant dense<0.5> : tensor<64xf32>
  %v = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %is = arith.cmpf ogt, %v, %none : tensor<64xf32>
  %chosen = arith.select %is, %one, %half : tensor<64xi1>, tensor<64xf32>
  %l = tile.load %a[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %r = tile.load %b[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %l, %r, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %e = tile.expand_dims %chosen axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %w = tile.broadcast %e : tensor<64x1xf32> -> tensor<64x64xf32>
  %m = arith.mulf %d, %w : tensor<64x64xf32>
  tile.store %m, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
