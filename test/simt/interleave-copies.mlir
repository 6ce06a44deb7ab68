// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that fill a slot are issued between the matrix instructions behind them: twice as many as their share behind each.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(llvm.func(simt-interleave-copies))' | FileCheck %s

// CHECK-LABEL: llvm.func @between
// CHECK: %[[A:.*]]:2 = simt.mma
// CHECK-NEXT: simt.copy_async %arg0
// CHECK-NEXT: %[[B:.*]]:2 = simt.mma
// CHECK-NEXT: simt.copy_async %arg1
// CHECK-NEXT: simt.commit_copies
// CHECK-NEXT: simt.mma
// CHECK-NEXT: simt.mma
// CHECK-NEXT: simt.wait_copies but 0
llvm.func @between(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %s: !llvm.ptr<3>, %t: !llvm.ptr<3>, %a: f64, %b: f64, %c: f64) {
  simt.copy_async %p to %s bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %q to %t bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  %0:2 = simt.mma "mma.m8n8k4.f64.f64" (%a) by (%b) plus (%c, %c) : f64, f64, f64 loc("one")
  %1:2 = simt.mma "mma.m8n8k4.f64.f64" (%a) by (%b) plus (%0#0, %0#1) : f64, f64, f64 loc("one")
  %2:2 = simt.mma "mma.m8n8k4.f64.f64" (%a) by (%b) plus (%1#0, %1#1) : f64, f64, f64 loc("one")
  %3:2 = simt.mma "mma.m8n8k4.f64.f64" (%a) by (%b) plus (%2#0, %2#1) : f64, f64, f64 loc("one")
  simt.wait_copies but 0
  llvm.return
}
