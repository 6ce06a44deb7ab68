// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unit that reads factors from memory reads those of 16 bits across the sum, too, but others only along it. Where every element
// is multiplied often, the product takes a copy of such a factor that lies along the sum.
// RUN: kiln-opt %s --load-target=%S/Inputs/readers.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=readers},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s --load-target=%S/Inputs/threads.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=threads},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: _rows
// This target has no code generator, so the host runs what it chooses:
// RUN: unset KILN_NO_FALLBACK
// RUN: kiln-run %s --load-target=%S/Inputs/readers.mlir --target=readers --check --entry=bytes
// RUN: kiln-run %s --load-target=%S/Inputs/readers.mlir --target=readers --check --entry=both

// The copy has the rows of the sum as its last dimension; blocks then are those of the unit that reads memory.
// CHECK-LABEL: tile.kernel private @bytes_0_dot_rows0(
// CHECK-SAME: !tile.view<2048x1024xi8, strides = [1, 2048]> {tile.facts = {readonly}}, %{{.*}}: !tile.view<2048x1024xi8> {tile.facts = {noalias}}
// CHECK: tile.load
// CHECK: tile.store
// CHECK-LABEL: tile.kernel private @bytes_0_dot(
// CHECK-SAME: !tile.view<1024x1024xi8>
// CHECK-SAME: !tile.view<1024x2048xi8, strides = [1, 1024]>
func.func @bytes(%a: tensor<1024x1024xi8>, %b: tensor<1024x2048xi8>) -> tensor<1024x2048xi32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x1024xi8>, tensor<1024x2048xi8> -> tensor<1024x2048xi32>
  return %d : tensor<1024x2048xi32>
}

// Both factors, one through a transposition of its own, in batches.
// CHECK-LABEL: tile.kernel private @both_0_dot_rows0(
// CHECK-LABEL: tile.kernel private @both_0_dot_rows1(
// CHECK-LABEL: tile.kernel private @both_0_dot(
// CHECK-SAME: !tile.view<2x512x1024xi8
// CHECK-SAME: strides = [{{.*}}, 1, 1024]>
func.func @both(%a: tensor<2x1024x512xi8>, %b: tensor<1024x2x1024xi8>) -> tensor<2x512x1024xi32> {
  %t = prim.transpose %b permutation [1, 0, 2] : tensor<1024x2x1024xi8> -> tensor<2x1024x1024xi8>
  %d = prim.dot_general %a, %t batch [0] x [0] contract [1] x [1] : tensor<2x1024x512xi8>, tensor<2x1024x1024xi8> -> tensor<2x512x1024xi32>
  return %d : tensor<2x512x1024xi32>
}

// CHECK-LABEL: tile.kernel private @tf32_0_dot_rows0(
// CHECK-LABEL: tile.kernel private @tf32_0_dot(
func.func @tf32(%a: tensor<1024x1024xf32>, %b: tensor<1024x2048xf32>) -> tensor<1024x2048xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] precision tf32 : tensor<1024x1024xf32>, tensor<1024x2048xf32> -> tensor<1024x2048xf32>
  return %d : tensor<1024x2048xf32>
}

// 8-bit floats go to such a unit where their sums may be imprecise.
// CHECK-NOT: @floats_0_dot_rows
// CHECK-LABEL: tile.kernel private @imprecise_0_dot_rows0(
func.func @floats(%a: tensor<1024x1024xf8E4M3FN>, %b: tensor<1024x2048xf8E4M3FN>) -> tensor<1024x2048xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x1024xf8E4M3FN>, tensor<1024x2048xf8E4M3FN> -> tensor<1024x2048xf32>
  return %d : tensor<1024x2048xf32>
}

func.func @imprecise(%a: tensor<1024x1024xf8E4M3FN>, %b: tensor<1024x2048xf8E4M3FN>) -> tensor<1024x2048xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] imprecise 128 : tensor<1024x1024xf8E4M3FN>, tensor<1024x2048xf8E4M3FN> -> tensor<1024x2048xf32>
  return %d : tensor<1024x2048xf32>
}

// A factor with itself, few rows, 16 bits, and what lies along the sum have no copy.
// CHECK-LABEL: program.func @imprecise
// CHECK: program.return
// CHECK-NOT: _rows
func.func @itself(%a: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %d = prim.dot_general %a, %a batch [] x [] contract [1] x [0] precision tf32 : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  return %d : tensor<1024x1024xf32>
}

func.func @few(%a: tensor<128x4096xi8>, %b: tensor<4096x4096xi8>) -> tensor<128x4096xi32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<128x4096xi8>, tensor<4096x4096xi8> -> tensor<128x4096xi32>
  return %d : tensor<128x4096xi32>
}

func.func @halves(%a: tensor<1024x1024xbf16>, %b: tensor<1024x2048xbf16>) -> tensor<1024x2048xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x1024xbf16>, tensor<1024x2048xbf16> -> tensor<1024x2048xf32>
  return %d : tensor<1024x2048xf32>
}

func.func @along(%a: tensor<1024x1024xi8>, %b: tensor<2048x1024xi8>) -> tensor<1024x2048xi32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<1024x1024xi8>, tensor<2048x1024xi8> -> tensor<1024x2048xi32>
  return %d : tensor<1024x2048xi32>
}
