// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradients of a norm of groups of channels whose images have their channels last, from statistics in channels first: all kernels read
// and write lines of all channels, and none has dimensions of groups.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check
// CHECK: tile.kernel private @backward_{{.*}}_sum({{.*}}view<2x1024x160xbf16>{{.*}}view<2x1024x160xbf16>
// CHECK: tile.kernel private @backward_{{.*}}_convert_element_type({{.*}}view<2x1024x160xbf16>{{.*}}view<2x1024x160xbf16>
// CHECK-NOT: x20xbf16
// CHECK-NOT: x32xbf16
// CHECK: program.func @backward
func.func @backward(%dy0: tensor<2x32x32x160xbf16>, %x0: tensor<2x32x32x160xbf16>, %mean: tensor<2x8xf32>, %rstd: tensor<2x8xf32>, %w: tensor<160xf32>) -> (tensor<2x32x32x160xbf16>, tensor<160xf32>, tensor<160xf32>) {
  %dyt = prim.transpose %dy0 permutation [0, 3, 1, 2] : tensor<2x32x32x160xbf16> -> tensor<2x160x32x32xbf16>
  %xt = prim.transpose %x0 permutation [0, 3, 1, 2] : tensor<2x32x32x160xbf16> -> tensor<2x160x32x32xbf16>
  %dy = prim.convert_element_type %dyt : tensor<2x160x32x32xbf16> -> tensor<2x160x32x32xf32>
  %x = prim.convert_element_type %xt : tensor<2x160x32x32xbf16> -> tensor<2x160x32x32xf32>
  %p = prim.mul %dy, %x : tensor<2x160x32x32xf32>
  %p1 = prim.reshape %p : tensor<2x160x32x32xf32> -> tensor<2x160x1024xf32>
  %ds = prim.sum %p1 dims [2] : tensor<2x160x1024xf32> -> tensor<2x160xf32>
  %d1 = prim.reshape %dy : tensor<2x160x32x32xf32> -> tensor<2x160x1024xf32>
  %db = prim.sum %d1 dims [2] : tensor<2x160x1024xf32> -> tensor<2x160xf32>
  %wb = prim.broadcast_in_dim %w dims [1] : tensor<160xf32> -> tensor<2x160xf32>
  %dsw = prim.mul %ds, %wb : tensor<2x160xf32>
  %dsr = prim.reshape %dsw : tensor<2x160xf32> -> tensor<2x8x20xf32>
  %dsv = prim.sum %dsr dims [2] : tensor<2x8x20xf32> -> tensor<2x8xf32>
  %dbw = prim.mul %db, %wb : tensor<2x160xf32>
  %dbr = prim.reshape %dbw : tensor<2x160xf32> -> tensor<2x8x20xf32>
  %dbv = prim.sum %dbr dims [2] : tensor<2x8x20xf32> -> tensor<2x8xf32>
  %s = prim.full 4.8828125e-05 : f32 : tensor<2x8xf32>
  %a = prim.mul %dbv, %mean : tensor<2x8xf32>
  %b = prim.sub %a, %dsv : tensor<2x8xf32>
  %b1 = prim.mul %b, %rstd : tensor<2x8xf32>
  %b2 = prim.mul %b1, %rstd : tensor<2x8xf32>
  %b3 = prim.mul %b2, %rstd : tensor<2x8xf32>
  %c2 = prim.mul %b3, %s : tensor<2x8xf32>
  %n = prim.neg %c2 : tensor<2x8xf32>
  %n1 = prim.mul %n, %mean : tensor<2x8xf32>
  %n2 = prim.mul %dbv, %rstd : tensor<2x8xf32>
  %n3 = prim.mul %n2, %s : tensor<2x8xf32>
  %c3 = prim.sub %n1, %n3 : tensor<2x8xf32>
  %wr = prim.reshape %w : tensor<160xf32> -> tensor<8x20xf32>
  %wrb = prim.broadcast_in_dim %wr dims [1, 2] : tensor<8x20xf32> -> tensor<2x8x20xf32>
  %rb = prim.broadcast_in_dim %rstd dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x20xf32>
  %c1 = prim.mul %wrb, %rb : tensor<2x8x20xf32>
  %C1 = prim.broadcast_in_dim %c1 dims [0, 1, 2] : tensor<2x8x20xf32> -> tensor<2x8x20x1024xf32>
  %C2 = prim.broadcast_in_dim %c2 dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x20x1024xf32>
  %C3 = prim.broadcast_in_dim %c3 dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x20x1024xf32>
  %dyg = prim.reshape %dy : tensor<2x160x32x32xf32> -> tensor<2x8x20x1024xf32>
  %xg = prim.reshape %x : tensor<2x160x32x32xf32> -> tensor<2x8x20x1024xf32>
  %t1 = prim.mul %dyg, %C1 : tensor<2x8x20x1024xf32>
  %t2 = prim.mul %xg, %C2 : tensor<2x8x20x1024xf32>
  %t3 = prim.add %t1, %t2 : tensor<2x8x20x1024xf32>
  %t4 = prim.add %t3, %C3 : tensor<2x8x20x1024xf32>
  %dx = prim.reshape %t4 : tensor<2x8x20x1024xf32> -> tensor<2x160x32x32xf32>
  %dxb = prim.convert_element_type %dx : tensor<2x160x32x32xf32> -> tensor<2x160x32x32xbf16>
  %out = prim.transpose %dxb permutation [0, 2, 3, 1] : tensor<2x160x32x32xbf16> -> tensor<2x32x32x160xbf16>
  %dsg = prim.reshape %ds : tensor<2x160xf32> -> tensor<2x8x20xf32>
  %dbg = prim.reshape %db : tensor<2x160xf32> -> tensor<2x8x20xf32>
  %mb = prim.broadcast_in_dim %mean dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x20xf32>
  %q = prim.mul %dbg, %mb : tensor<2x8x20xf32>
  %q1 = prim.sub %dsg, %q : tensor<2x8x20xf32>
  %q2 = prim.mul %q1, %rb : tensor<2x8x20xf32>
  %q3 = prim.sum %q2 dims [0] : tensor<2x8x20xf32> -> tensor<8x20xf32>
  %dw = prim.reshape %q3 : tensor<8x20xf32> -> tensor<160xf32>
  %dbias = prim.sum %db dims [0] : tensor<2x160xf32> -> tensor<160xf32>
  return %out, %dw, %dbias : tensor<2x32x32x160xbf16>, tensor<160xf32>, tensor<160xf32>
}
