// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the description multiplies numbers of 16 bits, factors with scales go on in the one that has all of theirs.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-scaled-dots{narrow=true}))' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(tile-expand-scaled-dots{narrow=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-scaled-dots))' | FileCheck %s --check-prefix=WIDE --implicit-check-not=arith.truncf
// WIDE: tile.dot {{.*}} : tensor<16x64xf32>, tensor<64x16xf32>
module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one",
  units = [#kiln.unit<name = "square", kind = matrix, types = [f16, bf16]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "halves", unit = "square", m = <16>, n = <8>, k = <16>, lhs = <types = [f16]>, rhs = <types = [f16]>, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "brains", unit = "square", m = <16>, n = <8>, k = <16>, lhs = <types = [bf16]>, rhs = <types = [bf16]>, acc = <types = [f32]>>]>} {

// Powers of two leave the range of f16, not that of bf16.
// CHECK-LABEL: tile.kernel @powers
// CHECK-COUNT-2: arith.truncf {{.*}}xf32> to tensor<{{.*}}xbf16>
// CHECK: tile.dot {{.*}} : tensor<16x64xbf16>, tensor<64x16xbf16>, tensor<16x16xf32>
// CHECK-NOT: tile.dot
tile.kernel @powers(%a: !tile.view<16x64xf8E4M3FN>, %sa: !tile.view<16x2xi8>, %b: !tile.view<64x16xf8E4M3FN>, %c: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x64xf8E4M3FN> -> tensor<16x64xf8E4M3FN>
  %s = tile.load %sa[%c0, %c0] : !tile.view<16x2xi8> -> tensor<16x2xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x16xf8E4M3FN> -> tensor<64x16xf8E4M3FN>
  %z = tile.load %c[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %d = tile.dot_scaled %x e4m3 scale %s, %y e4m3, %z : tensor<16x64xf8E4M3FN> scale tensor<16x2xi8>, tensor<64x16xf8E4M3FN>, tensor<16x16xf32>
  tile.store %d, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}

// Scales of eight bits and elements of four.
// CHECK-LABEL: tile.kernel @fours
// CHECK: tile.dot {{.*}} : tensor<16x64xf16>, tensor<64x16xf16>, tensor<16x16xf32>
// CHECK-NOT: tile.dot
tile.kernel @fours(%a: !tile.view<16x32xi8>, %sa: !tile.view<16x4xf8E4M3FN>, %b: !tile.view<64x16xf16>, %c: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xi8> -> tensor<16x32xi8>
  %s = tile.load %sa[%c0, %c0] : !tile.view<16x4xf8E4M3FN> -> tensor<16x4xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x16xf16> -> tensor<64x16xf16>
  %z = tile.load %c[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %d = tile.dot_scaled %x e2m1 scale %s, %y fp16, %z : tensor<16x32xi8> scale tensor<16x4xf8E4M3FN>, tensor<64x16xf16>, tensor<16x16xf32>
  tile.store %d, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}

// Eleven bits and any power of two are two terms of bf16. The smaller one may be zero: no infinity is multiplied with it.
// CHECK-LABEL: tile.kernel @halves
// CHECK: %[[Y:.*]] = tile.load {{.*}} -> tensor<64x16xbf16>
// CHECK: arith.andi
// CHECK: arith.subf
// CHECK-NOT: arith.extf
// CHECK: %[[WORDS:.*]] = arith.bitcast %[[Y]] : tensor<64x16xbf16> to tensor<64x16xi16>
// CHECK: %[[SIZE:.*]] = arith.andi %[[WORDS]]
// CHECK: %[[NUMBER:.*]] = arith.cmpi ult, %[[SIZE]]
// CHECK: %[[REST:.*]] = arith.select %[[NUMBER]], %[[Y]]
// CHECK: %[[SMALL:.*]] = tile.dot %{{.*}}, %[[REST]], %{{.*}} : tensor<16x64xbf16>, tensor<64x16xbf16>, tensor<16x16xf32>
// CHECK: tile.dot %{{.*}}, %[[Y]], %[[SMALL]] : tensor<16x64xbf16>, tensor<64x16xbf16>, tensor<16x16xf32>
// CHECK-NOT: tile.dot
tile.kernel @halves(%a: !tile.view<16x64xf16>, %sa: !tile.view<16x2xi8>, %b: !tile.view<64x16xbf16>, %c: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x64xf16> -> tensor<16x64xf16>
  %s = tile.load %sa[%c0, %c0] : !tile.view<16x2xi8> -> tensor<16x2xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x16xbf16> -> tensor<64x16xbf16>
  %z = tile.load %c[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %d = tile.dot_scaled %x fp16 scale %s, %y bf16, %z : tensor<16x64xf16> scale tensor<16x2xi8>, tensor<64x16xbf16>, tensor<16x16xf32>
  tile.store %d, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}

// Too small for an instruction.
// CHECK-LABEL: tile.kernel @small
// CHECK: tile.dot {{.*}} : tensor<8x64xf32>, tensor<64x16xf32>, tensor<8x16xf32>
tile.kernel @small(%x: f8E4M3FN, %y: f8E4M3FN, %z: f32) {
  %a = tile.splat %x : tensor<8x64xf8E4M3FN>
  %b = tile.splat %y : tensor<64x16xf8E4M3FN>
  %c = tile.splat %z : tensor<8x16xf32>
  %d = tile.dot_scaled %a e4m3, %b e4m3, %c : tensor<8x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, tensor<8x16xf32>
}
}
