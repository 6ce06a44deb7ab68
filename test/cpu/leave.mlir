// `cpu.leave` in a region becomes a return of the function, and what follows it is never executed.
// RUN: kiln-opt %s --convert-cpu-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @leaves(
// CHECK: llvm.cond_br %arg0, ^[[OUT:bb[0-9]+]], ^[[ON:bb[0-9]+]]
// CHECK: ^[[OUT]]:
// CHECK-NEXT: llvm.return
// CHECK: ^[[ON]]:
// CHECK: llvm.store %{{.*}}, %arg1
// CHECK-NOT: llvm.store
// CHECK: llvm.return
func.func @leaves(%stop: i1, %p: !llvm.ptr) {
  %c1 = arith.constant 1 : i32
  scf.if %stop {
    cpu.leave
    llvm.store %c1, %p : i32, !llvm.ptr
  }
  llvm.store %c1, %p : i32, !llvm.ptr
  return
}
