// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction that rounds one number to bf16 is slower than the one for two. A number that goes on as f32 is rounded
// by the latter; numbers that are stored are rounded in pairs.
// RUN: kiln-compile %s --target=nvidia:sm_90a,warps=1,ptxas=none --no-fallback --emit=asm | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_75,warps=1,ptxas=none --no-fallback --emit=asm | FileCheck %s --check-prefix=OLD
// OLD-NOT: cvt.rn.bf16

// CHECK-LABEL: .entry rounded(
// CHECK-NOT: cvt.rn.bf16.f32
// CHECK: cvt.rn.bf16x2.f32 {{%r[0-9]+}}, [[ZERO:%r[0-9]+]], {{%r[0-9]+}};
// CHECK-COUNT-3: cvt.rn.bf16x2.f32 {{%r[0-9]+}}, [[ZERO]], {{%r[0-9]+}};
// CHECK-NOT: cvt.rn.bf16
// CHECK-LABEL: .entry narrow(
tile.kernel @rounded(%x: !tile.view<128xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<128xf32> {tile.noalias, tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  %n = arith.truncf %t : tensor<128xf32> to tensor<128xbf16>
  %w = arith.extf %n : tensor<128xbf16> to tensor<128xf32>
  tile.store %w, %y[%c0] : tensor<128xf32>, !tile.view<128xf32>
}

// CHECK-COUNT-2: cvt.rn.bf16x2.f32
// CHECK-NOT: cvt.rn.bf16
tile.kernel @narrow(%x: !tile.view<128xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<128xbf16> {tile.noalias, tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  %n = arith.truncf %t : tensor<128xf32> to tensor<128xbf16>
  tile.store %n, %y[%c0] : tensor<128xbf16>, !tile.view<128xbf16>
}
