// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SiLU behind this matmul is computed on 128 numbers of a thread. Tile by tile they need more registers than it has; ordered store by
// store they do not.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,order=on --no-fallback --emit=llvm -o - | FileCheck %s
// CHECK-COUNT-8: @llvm.nvvm.ex2.approx.ftz.f32(float
// CHECK-NOT: ex2
// CHECK: store <8 x bfloat>
// CHECK-COUNT-8: @llvm.nvvm.ex2.approx.ftz.f32(float
// CHECK-NOT: ex2
// CHECK: store <8 x bfloat>
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,order=off --no-fallback --emit=llvm -o - | not FileCheck %s
func.func @silu(%a: tensor<2048x4096xbf16>, %b: tensor<14336x4096xbf16>, %g: tensor<2048x14336xbf16>) -> tensor<2048x14336xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<2048x4096xbf16>, tensor<14336x4096xbf16> -> tensor<2048x14336xbf16>
  %s = prim.sigmoid %g : tensor<2048x14336xbf16>
  %t = prim.mul %s, %g : tensor<2048x14336xbf16>
  %m = prim.mul %r, %t : tensor<2048x14336xbf16>
  return %m : tensor<2048x14336xbf16>
}
