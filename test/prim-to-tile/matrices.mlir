// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small matrices are factorised, and their equations solved, by kernels whose threads hold a matrix in registers. The host does larger ones.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --explain --emit=program -o %t.program | FileCheck %s
// RUN: for entry in root factors tall wide lower upper turned; do \
// RUN:   kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=3

// CHECK-LABEL: function root
// CHECK: schedule root_{{.*}}: prim.claim -> generic.matrices
func.func @root(%x: tensor<3x6x6xf32>) -> (tensor<3x6x6xf32>, tensor<3xi32>) {
  %t = prim.transpose %x permutation [0, 2, 1] : tensor<3x6x6xf32> -> tensor<3x6x6xf32>
  %s = prim.dot_general %x, %t batch [0] x [0] contract [2] x [1] : tensor<3x6x6xf32>, tensor<3x6x6xf32> -> tensor<3x6x6xf32>
  %l, %info = prim.cholesky %s : tensor<3x6x6xf32>
  return %l, %info : tensor<3x6x6xf32>, tensor<3xi32>
}

// A batch of a size that is not known. Matrices that are not positive definite have no root.
// CHECK-LABEL: function open
// CHECK: schedule open_{{.*}}: prim.claim -> generic.matrices
func.func @open(%x: tensor<?x3x3xf64>) -> (tensor<?x3x3xf64>, tensor<?xi32>) {
  %l, %info = prim.cholesky %x : tensor<?x3x3xf64>
  return %l, %info : tensor<?x3x3xf64>, tensor<?xi32>
}
// CHECK-LABEL: function factors
// CHECK: schedule factors_{{.*}}: prim.claim -> generic.matrices
func.func @factors(%x: tensor<2x7x7xf32>) -> (tensor<2x7x7xf32>, tensor<2x7xi32>, tensor<2x7xi32>, tensor<2xi32>) {
  %lu, %p, %rows, %info = prim.lu %x : tensor<2x7x7xf32>
  return %lu, %p, %rows, %info : tensor<2x7x7xf32>, tensor<2x7xi32>, tensor<2x7xi32>, tensor<2xi32>
}
// One matrix, and results that nothing reads.
func.func @tall(%x: tensor<20x3xf32>) -> (tensor<20x3xf32>, tensor<3xi32>, tensor<i32>) {
  %lu, %p, %rows, %info = prim.lu %x : tensor<20x3xf32>
  return %lu, %p, %info : tensor<20x3xf32>, tensor<3xi32>, tensor<i32>
}
func.func @wide(%x: tensor<2x3x17xf64>) -> (tensor<2x3x17xf64>, tensor<2x3xi32>) {
  %lu, %p, %rows, %info = prim.lu %x : tensor<2x3x17xf64>
  return %lu, %rows : tensor<2x3x17xf64>, tensor<2x3xi32>
}
// Blocks of 32 columns.
// CHECK-LABEL: function lower
// CHECK: schedule lower_{{.*}}: prim.claim -> generic.matrices
func.func @lower(%a: tensor<2x9x9xf32>, %b: tensor<2x9x70xf32>) -> tensor<2x9x70xf32> {
  %x = prim.triangular_solve %a, %b lower unit : tensor<2x9x9xf32>, tensor<2x9x70xf32>
  return %x : tensor<2x9x70xf32>
}
func.func @upper(%a: tensor<5x5xf64>, %b: tensor<5x1xf64>) -> tensor<5x1xf64> {
  %x = prim.triangular_solve %a, %b : tensor<5x5xf64>, tensor<5x1xf64>
  return %x : tensor<5x1xf64>
}
func.func @turned(%a: tensor<2x3x4x4xf32>, %b: tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32> {
  %x = prim.triangular_solve %a, %b lower transpose : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>
  return %x : tensor<2x3x4x4xf32>
}
// CHECK-LABEL: function large
// CHECK: host
func.func @large(%x: tensor<100x100xf32>) -> tensor<100x100xf32> {
  %l, %info = prim.cholesky %x : tensor<100x100xf32>
  return %l : tensor<100x100xf32>
}
