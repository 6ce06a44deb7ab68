// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8 bits are converted by instructions from sm_89 on, two at a time. The instruction saturates; what is too
// large is replaced, unless the program saturates, too.
// RUN: for chip in sm_89 sm_90a sm_100; do \
// RUN:   kiln-compile %s --target=nvidia:$chip,warps=1,ptxas=none --no-fallback --emit=asm -o %t.ptx && FileCheck %s < %t.ptx || exit 1; done
// RUN: kiln-compile %s --target=nvidia:sm_80,warps=1,ptxas=none --no-fallback --emit=asm | FileCheck %s --check-prefix=OLD
// OLD-NOT: cvt{{.*}}e{{[45]m[23]}}

// CHECK-LABEL: .entry narrow(
// CHECK-COUNT-2: cvt.rn.satfinite.e4m3x2.f32
// CHECK-NOT: cvt.rn.satfinite.e4m3x2.f32
// CHECK: .entry narrow_aligned(
tile.kernel @narrow(%x: !tile.view<128xf32> {tile.align = 16 : i64}, %y: !tile.view<128xf8E4M3FN> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  %n = arith.truncf %t : tensor<128xf32> to tensor<128xf8E4M3FN>
  tile.store %n, %y[%c0] : tensor<128xf8E4M3FN>, !tile.view<128xf8E4M3FN>
}

// CHECK-LABEL: .entry infinite(
// CHECK-COUNT-2: cvt.rn.satfinite.e5m2x2.f32
// CHECK-NOT: cvt.rn.satfinite.e5m2x2.f32
// CHECK: .entry infinite_aligned(
tile.kernel @infinite(%x: !tile.view<128xf32> {tile.align = 16 : i64}, %y: !tile.view<128xf8E5M2> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  %n = arith.truncf %t : tensor<128xf32> to tensor<128xf8E5M2>
  tile.store %n, %y[%c0] : tensor<128xf8E5M2>, !tile.view<128xf8E5M2>
}

// CHECK-LABEL: .entry widen(
// CHECK-COUNT-2: cvt.rn.f16x2.e4m3x2
// CHECK-NOT: cvt.rn.f16x2.e4m3x2
// CHECK: .entry widen_aligned(
tile.kernel @widen(%x: !tile.view<128xf8E4M3FN> {tile.align = 16 : i64}, %y: !tile.view<128xf16> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<128xf8E4M3FN> -> tensor<128xf8E4M3FN>
  %n = arith.extf %t : tensor<128xf8E4M3FN> to tensor<128xf16>
  tile.store %n, %y[%c0] : tensor<128xf16>, !tile.view<128xf16>
}
