// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of lines take every location: what was inlined without a place of its own stands where it was called.
// RUN: kiln-opt %s --nvidia-tail --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: llvm.func @inlined
func.func @inlined(%x: i32, %y: i32) -> i32 {
  // CHECK: llvm.add {{.*}} loc("a.py":3:4)
  %a = arith.addi %x, %y : i32 loc(callsite(unknown at "a.py":3:4))
  // CHECK: llvm.mul {{.*}} loc("a.py":5:6)
  %b = arith.muli %a, %y : i32 loc(callsite("n"(unknown) at callsite(fused[unknown, unknown] at "a.py":5:6)))
  // CHECK: llvm.sub {{.*}} loc("a.py":7:8)
  %c = arith.subi %b, %y : i32 loc(callsite(callsite("c.py":1:2 at unknown) at "a.py":7:8))
  // CHECK: llvm.xor {{.*}} loc(callsite(fused<{{.*}}>["n"("b.py":1:2)] at "a.py":9:1))
  %d = arith.xori %c, %y : i32 loc(callsite("n"("b.py":1:2) at "a.py":9:1))
  // CHECK: llvm.or {{.*}} loc(unknown)
  %e = arith.ori %d, %y : i32 loc(callsite(unknown at unknown))
  return %e : i32 loc("a.py":10:1)
} loc("a.py":1:1)
