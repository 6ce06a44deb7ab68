// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without an option the last blocks of a matmul begin earlier where a unit copies, the sum is deep, and rows are whole accesses of a thread.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,blocks=64x64x32"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,blocks=64x64x32,shift_edges=deep"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,blocks=64x64x32,shift_edges=off"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=NONE
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="amd:gfx90a,blocks=64x64x32"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=NONE
// NONE-NOT: arith.minsi
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,blocks=64x64x32,shift_edges=on"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=ON
// RUN: for how in deep,64x64x32 deep,64x64x32x2 deep,64x96x32 in_place,64x64x32; do \
// RUN:   kiln-compile %s --entry=${how%%,*} --target=nvidia:sm_90a,ptxas=none,blocks=${how#*,} --no-fallback --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel private @deep_0_dot(
// CHECK: arith.minsi {{.*}}%c36
// CHECK: arith.minsi {{.*}}%c40
func.func @deep(%a: tensor<100x2048xbf16>, %b: tensor<2048x104xbf16>) -> tensor<100x104xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x2048xbf16>, tensor<2048x104xbf16> -> tensor<100x104xbf16>
  return %r : tensor<100x104xbf16>
}

// CHECK-LABEL: tile.kernel private @shallow_0_dot(
// CHECK-NOT: arith.minsi
// CHECK-LABEL: program.func @shallow
func.func @shallow(%a: tensor<100x2040xbf16>, %b: tensor<2040x104xbf16>) -> tensor<100x104xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x2040xbf16>, tensor<2040x104xbf16> -> tensor<100x104xbf16>
  return %r : tensor<100x104xbf16>
}

// Rows of 200 bytes: a block that ends with one begins between two accesses.
// CHECK-LABEL: tile.kernel private @odd_0_dot(
// CHECK-NOT: arith.minsi
// CHECK-LABEL: program.func @odd
// ON-LABEL: tile.kernel private @odd_0_dot(
// ON: arith.minsi
func.func @odd(%a: tensor<104x2048xbf16>, %b: tensor<2048x100xbf16>) -> tensor<104x100xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<104x2048xbf16>, tensor<2048x100xbf16> -> tensor<104x100xbf16>
  return %r : tensor<104x100xbf16>
}

// The carried value is read and written by each iteration.
// CHECK-LABEL: tile.kernel private @in_place
// CHECK-NOT: arith.minsi
// CHECK-LABEL: program.func @in_place
// ON-LABEL: tile.kernel private @in_place
// ON-NOT: arith.minsi
// ON-LABEL: program.func @in_place
func.func @in_place(%a: tensor<100x2048xbf16>, %b: tensor<2048x104xbf16>, %z: tensor<100x104xbf16>) -> tensor<100x104xbf16> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %end = prim.full 3 : i32 : tensor<i32>
  %r:2 = prim.while (%zero, %z) : (tensor<i32>, tensor<100x104xbf16>) -> (tensor<i32>, tensor<100x104xbf16>) {
  ^bb0(%i: tensor<i32>, %x: tensor<100x104xbf16>):
    %c = prim.lt %i, %end : tensor<i32> -> tensor<i1>
    prim.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %x: tensor<100x104xbf16>):
    %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x2048xbf16>, tensor<2048x104xbf16> -> tensor<100x104xbf16>
    %s = prim.add %d, %x : tensor<100x104xbf16>
    %n = prim.add %i, %one : tensor<i32>
    prim.yield %n, %s : tensor<i32>, tensor<100x104xbf16>
  }
  return %r#1 : tensor<100x104xbf16>
}

// Half as many elements, of twice the bits, have as many bytes.
// CHECK-LABEL: tile.kernel private @half_0_dot(
// CHECK-NOT: arith.minsi
// CHECK-LABEL: program.func @half
// ON-LABEL: tile.kernel private @half_0_dot(
// ON-NOT: arith.minsi
// ON-LABEL: program.func @half
func.func @half(%a: tensor<2x100x2048xbf16>, %b: tensor<2x2048x104xbf16>, %z: tensor<100x104xf32>) -> tensor<2x100x104xbf16> {
  %d = prim.dot_general %a, %b batch [0] x [0] contract [2] x [1] : tensor<2x100x2048xbf16>, tensor<2x2048x104xbf16> -> tensor<2x100x104xbf16>
  %f = prim.convert_element_type %d : tensor<2x100x104xbf16> -> tensor<2x100x104xf32>
  %w = prim.broadcast_in_dim %z dims [1, 2] : tensor<100x104xf32> -> tensor<2x100x104xf32>
  %s = prim.add %f, %w : tensor<2x100x104xf32>
  %r = prim.convert_element_type %s : tensor<2x100x104xf32> -> tensor<2x100x104xbf16>
  return %r : tensor<2x100x104xbf16>
}
