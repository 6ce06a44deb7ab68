// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 bits are added by the widest operation whose elements are inside of the view together: by words where the size is
// even, one by one where it is odd.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=asm -o - | FileCheck %s
// CHECK-LABEL: .entry eights(
// CHECK: red.relaxed.gpu.global.add.noftz.v4.f16x2
// CHECK-LABEL: .entry even(
// CHECK-COUNT-4: red.relaxed.gpu.global.add.noftz.f16x2
// CHECK-NOT: atom.
// CHECK-LABEL: .entry odd(
// CHECK-NOT: f16x2
tile.kernel @eights(%x: !tile.view<1024xf16> {tile.align = 16 : i64}, %y: !tile.view<10008xf16> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %p = tile.program_id : index
  %to = arith.muli %p, %c1024 : index
  %v = tile.load %x[%c0] : !tile.view<1024xf16> -> tensor<1024xf16>
  tile.store %v, %y[%to] combine add : tensor<1024xf16>, !tile.view<10008xf16>
}
tile.kernel @even(%x: !tile.view<1024xf16> {tile.align = 16 : i64}, %y: !tile.view<10002xf16> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %p = tile.program_id : index
  %to = arith.muli %p, %c1024 : index
  %v = tile.load %x[%c0] : !tile.view<1024xf16> -> tensor<1024xf16>
  tile.store %v, %y[%to] combine add : tensor<1024xf16>, !tile.view<10002xf16>
}
tile.kernel @odd(%x: !tile.view<1024xf16> {tile.align = 16 : i64}, %y: !tile.view<10001xf16> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %p = tile.program_id : index
  %to = arith.muli %p, %c1024 : index
  %v = tile.load %x[%c0] : !tile.view<1024xf16> -> tensor<1024xf16>
  tile.store %v, %y[%to] combine add : tensor<1024xf16>, !tile.view<10001xf16>
}
