// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of scaled factors go by matrix instructions of 16 bits.
// RUN: for chip in sm_80 sm_90a; do kiln-compile %s --target=nvidia:$chip,ptxas=none,verify=1 --no-fallback --emit=ptx -o - | FileCheck %s --implicit-check-not=fma.rn.f32 || exit 1; done
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

// CHECK: .entry e4m3{{(_aligned)?}}(
// CHECK: {{wgmma.mma_async.sync.aligned.m64n64k16|mma.sync.aligned.m16n8k16.row.col}}.f32.bf16.bf16
tile.kernel @e4m3(%a: !tile.view<64x64xf8E4M3FN>, %sa: !tile.view<64x2xi8>, %b: !tile.view<64x64xf8E4M3FN>, %sb: !tile.view<64x2xi8>, %c: !tile.view<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<64x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
  %sx = tile.load %sa[%c0, %c0] : !tile.view<64x2xi8> -> tensor<64x2xi8>
  %sy = tile.load %sb[%c0, %c0] : !tile.view<64x2xi8> -> tensor<64x2xi8>
  %d = tile.dot_scaled %x e4m3 scale %sx, %y e4m3 scale %sy, %zero : tensor<64x64xf8E4M3FN> scale tensor<64x2xi8>, tensor<64x64xf8E4M3FN> scale tensor<64x2xi8>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// Fours, with scales of eight bits, in f16; mixed with bf16, in bf16.
// CHECK: .entry e2m1{{(_aligned)?}}(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
tile.kernel @e2m1(%a: !tile.view<32x32xi8>, %sa: !tile.view<32x4xf8E4M3FN>, %b: !tile.view<64x32xf8E4M3FN>, %c: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xi8> -> tensor<32x32xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x32xf8E4M3FN> -> tensor<64x32xf8E4M3FN>
  %sx = tile.load %sa[%c0, %c0] : !tile.view<32x4xf8E4M3FN> -> tensor<32x4xf8E4M3FN>
  %d = tile.dot_scaled %x e2m1 scale %sx, %y e4m3, %zero : tensor<32x32xi8> scale tensor<32x4xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// CHECK: .entry mixed{{(_aligned)?}}(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
tile.kernel @mixed(%a: !tile.view<32x64xbf16>, %b: !tile.view<32x32xi8>, %sb: !tile.view<32x2xi8>, %c: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x64xbf16> -> tensor<32x64xbf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x32xi8> -> tensor<32x32xi8>
  %sy = tile.load %sb[%c0, %c0] : !tile.view<32x2xi8> -> tensor<32x2xi8>
  %d = tile.dot_scaled %x bf16, %y e2m1 scale %sy, %zero : tensor<32x64xbf16>, tensor<32x32xi8> scale tensor<32x2xi8>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}
