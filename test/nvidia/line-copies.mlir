// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel before a matmul copies an operand to rows that begin at lines, where blocks read it often and the copy unit would fetch a line more for most rows.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=program | FileCheck %s
// Lines that no machine has are none to copy to.
// RUN: kiln-compile --describe=nvidia:sm_90a | sed -n '/^#kiln.target/,$p' > %t.chip
// RUN: sed 's/line = 128, bandwidth/line = 1048576, bandwidth/' %t.chip > %t.long
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,description=%t.long --emit=program | FileCheck %s --check-prefix=LONG
// RUN: sed 's/line = 128, bandwidth/line = 4611686018427387904, bandwidth/' %t.chip > %t.longest
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,description=%t.longest --emit=program | FileCheck %s --check-prefix=LONG
// LONG-NOT: x524288xbf16
// LONG: program.func @odd(
// LONG: program.alloc{{.*}} : memref<2048x2056xbf16>
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --emit=program | FileCheck %s --check-prefix=OTHER
// RUN: kiln-compile %s --target=amd:gfx942 --emit=program | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: memref<568x1216xbf16>
// OTHER-NOT: memref<2048x2112xbf16>

// Blocks of rows read the rhs more than a hundred times, those of columns the lhs a few times.
// CHECK-LABEL: program.func @often(
// CHECK: program.alloc{{.*}} : memref<568x1216xbf16>
// CHECK: program.launch [@often_0_dot_rows0]
// CHECK-NOT: _rows
// CHECK: program.launch [@often_0_dot]
func.func @often(%a: tensor<1176x16168xbf16>, %b: tensor<568x1176xbf16>) -> tensor<16168x568xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [0] x [1] : tensor<1176x16168xbf16>, tensor<568x1176xbf16> -> tensor<16168x568xbf16>
  return %d : tensor<16168x568xbf16>
}

// All rows begin at lines.
// CHECK-LABEL: program.func @lines(
// CHECK-NOT: _rows
// CHECK: program.return
func.func @lines(%a: tensor<1216x16192xbf16>, %b: tensor<576x1216xbf16>) -> tensor<16192x576xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [0] x [1] : tensor<1216x16192xbf16>, tensor<576x1216xbf16> -> tensor<16192x576xbf16>
  return %d : tensor<16192x576xbf16>
}

// Copies would take longer than what the lines cost.
// CHECK-LABEL: program.func @seldom(
// CHECK-NOT: _rows
// CHECK: program.return
func.func @seldom(%a: tensor<296x6568xf16>, %b: tensor<6568x3416xf16>) -> tensor<296x3416xf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<296x6568xf16>, tensor<6568x3416xf16> -> tensor<296x3416xf16>
  return %d : tensor<296x3416xf16>
}

// Copies that are made anyway have long rows that begin at lines, too.
// CHECK-LABEL: program.func @odd(
// CHECK: program.alloc{{.*}} : memref<2048x2112xbf16>
// CHECK: program.launch [@odd_0_dot_rows0]
// CHECK-NOT: _rows
// CHECK: program.return
func.func @odd(%a: tensor<2048x2048xbf16>, %b: tensor<2048x2049xbf16>) -> tensor<2048x2049xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<2048x2048xbf16>, tensor<2048x2049xbf16> -> tensor<2048x2049xbf16>
  return %d : tensor<2048x2049xbf16>
}

// Short rows would grow too much: 20 elements are less than a line.
// CHECK-LABEL: program.func @short(
// CHECK-NOT: memref<65536x64xbf16>
// CHECK: program.return
func.func @short(%a: tensor<65536x20xbf16>, %b: tensor<65536x20xbf16>) -> tensor<65536x65536xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<65536x20xbf16>, tensor<65536x20xbf16> -> tensor<65536x65536xbf16>
  return %d : tensor<65536x65536xbf16>
}

// One tensor that is both operands is copied once.
// CHECK-LABEL: program.func @both(
// CHECK: program.launch [@both_0_dot_rows0]
// CHECK-NOT: _rows1
// CHECK: program.return
func.func @both(%a: tensor<65536x101xbf16>) -> tensor<65536x65536xbf16> {
  %d = prim.dot_general %a, %a batch [] x [] contract [1] x [1] : tensor<65536x101xbf16>, tensor<65536x101xbf16> -> tensor<65536x65536xbf16>
  return %d : tensor<65536x65536xbf16>
}
