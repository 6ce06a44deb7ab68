// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of a filter over an open batch and height: a convolution whose filter has open sizes, as products.
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=2,5,2,3 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=1,1,1,1 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=0,5,0,3 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=known --check --arg=random:1 --arg=random:2 --result=0:%t.known.npy
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=2,5,2,3 --arg=random:1 --arg=random:2 --expect=0:%t.known.npy --rtol=1e-5 --atol=1e-5
// RUN: kiln-run %s --target=cpu --entry=grouped_known --check --arg=random:1 --arg=random:2 --result=0:%t.grouped.npy
// RUN: kiln-run %s --target=cpu --entry=grouped --dim=2,5,2,3 --arg=random:1 --arg=random:2 --expect=0:%t.grouped.npy --rtol=1e-5 --atol=1e-5
// RUN: kiln-opt %s --convert-stablehlo-to-prim | FileCheck %s

// CHECK-LABEL: @gradient
// CHECK-NOT: prim.conv
// CHECK-COUNT-9: prim.dot_general {{.*}} -> tensor<1x3x5xf32>
// CHECK-NOT: prim.dot_general
// CHECK-LABEL: @known
// CHECK: prim.conv
func.func @gradient(%x: tensor<?x?x4x3xf32>, %s: tensor<?x?x2x5xf32>) -> tensor<3x3x3x5xf32> {
  %r = stablehlo.convolution(%x, %s) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]], rhs_dilate = [2, 1]}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<?x?x4x3xf32>, tensor<?x?x2x5xf32>) -> tensor<3x3x3x5xf32>
  return %r : tensor<3x3x3x5xf32>
}
func.func @known(%x: tensor<2x5x4x3xf32>, %s: tensor<2x3x2x5xf32>) -> tensor<3x3x3x5xf32> {
  %r = stablehlo.convolution(%x, %s) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]], rhs_dilate = [2, 1]}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x4x3xf32>, tensor<2x3x2x5xf32>) -> tensor<3x3x3x5xf32>
  return %r : tensor<3x3x3x5xf32>
}

// Groups of the batch, as of a depthwise convolution.
func.func @grouped(%x: tensor<?x?x4x4xf32>, %s: tensor<?x?x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %r = stablehlo.convolution(%x, %s) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]], rhs_dilate = [2, 1]}
    {feature_group_count = 1 : i64, batch_group_count = 4 : i64} : (tensor<?x?x4x4xf32>, tensor<?x?x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %r : tensor<1x3x3x4xf32>
}
func.func @grouped_known(%x: tensor<2x5x4x4xf32>, %s: tensor<2x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %r = stablehlo.convolution(%x, %s) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]], rhs_dilate = [2, 1]}
    {feature_group_count = 1 : i64, batch_group_count = 4 : i64} : (tensor<2x5x4x4xf32>, tensor<2x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %r : tensor<1x3x3x4xf32>
}
