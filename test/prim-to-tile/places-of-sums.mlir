// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of elements that are looked up, one in each row: a tile has many rows, and the places are computed in the line of all elements.
// RUN: kiln-compile %s --entry=losses --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in losses across; do kiln-run %s --entry=$entry --target=cpu --check || exit 1; done
// RUN: for rows in 0 1 70; do kiln-run %s --entry=open --target=cpu --check --dim=$rows || exit 1; done
// RUN: kiln-run %s --entry=losses --target=amd:gfx942,device=sim --check

// CHECK-LABEL: tile.kernel private @losses_0_sum(
// CHECK-NOT: scf.for
// CHECK: arith.muli
// CHECK: arith.select
// CHECK-NEXT: tile.load_gather %{{.*}}[] dim 0 by %{{.*}} : !tile.view<31000xf32>, tensor<1024xi64> -> tensor<1024xf32>
// CHECK: tile.reduce
func.func @losses(%x: tensor<1000x31xf32>, %t: tensor<1000xi64>) -> tensor<f32> {
  %limit = prim.full 31 : i64 : tensor<1000xi64>
  %i = prim.remainder %t, %limit : tensor<1000xi64>
  %j = prim.reshape %i : tensor<1000xi64> -> tensor<1000x1xi64>
  %g = prim.gather %x, %j dim 1 batch_dims 1 : tensor<1000x31xf32>, tensor<1000x1xi64> -> tensor<1000x1xf32>
  %s = prim.sum %g dims [0, 1] : tensor<1000x1xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// Columns of which one row each is read.
func.func @across(%x: tensor<5x31x40xf32>, %t: tensor<5x40xi64>) -> tensor<5xf32> {
  %y = prim.transpose %x permutation [0, 2, 1] : tensor<5x31x40xf32> -> tensor<5x40x31xf32>
  %limit = prim.full 31 : i64 : tensor<5x40xi64>
  %i = prim.remainder %t, %limit : tensor<5x40xi64>
  %j = prim.reshape %i : tensor<5x40xi64> -> tensor<5x40x1xi64>
  %g = prim.gather %y, %j dim 2 batch_dims 2 : tensor<5x40x31xf32>, tensor<5x40x1xi64> -> tensor<5x40x1xf32>
  %s = prim.sum %g dims [1, 2] : tensor<5x40x1xf32> -> tensor<5xf32>
  return %s : tensor<5xf32>
}

func.func @open(%x: tensor<?x31xf32>, %t: tensor<?x1xi64>) -> tensor<f32> {
  %zero = prim.mul %t, %t : tensor<?x1xi64>
  %three = prim.full 3 : i64 : tensor<i64>
  %n = arith.constant 0 : index
  %d = tensor.dim %t, %n : tensor<?x1xi64>
  %b = prim.broadcast_in_dim %three dims [] sizes(%d) : tensor<i64> -> tensor<?x1xi64>
  %i = prim.remainder %zero, %b : tensor<?x1xi64>
  %g = prim.gather %x, %i dim 1 batch_dims 1 : tensor<?x31xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  %s = prim.sum %g dims [0, 1] : tensor<?x1xf32> -> tensor<f32>
  return %s : tensor<f32>
}
