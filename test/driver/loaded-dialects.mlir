// An operation that makes types or attributes of another dialect may be the first that names it: an error, and no crash.
// RUN: rm -rf %t && split-file %s %t
// RUN: for file in %t/*.mlir; do not kiln-opt $file 2>&1 || exit 1; done | FileCheck %s --implicit-check-not=process

//--- 0.mlir
// CHECK: error: use of value '%a' expects different type than prior uses: '!llvm.ptr' vs 'index'
func.func @pointers(%a: index, %n: index) {
  cpu.micro_kernel %a, %a[%n], %a[%n] depth %n block [1, 16] groups [1, 1] : f32, f32, f32
  return
}

//--- 1.mlir
// CHECK: error: 'simt.atomic_rmw' op operand #0 must be pointer of llvm
func.func @orders(%p: index, %v: i32) {
  %0 = simt.atomic_rmw add monotonic device %p, %v : index, i32
  return
}

//--- 2.mlir
// CHECK: error: 'simt.load' op operand #0 must be pointer of llvm
func.func @caches(%p: index) {
  %0 = simt.load %p align 4 cache outer : index -> f32
  return
}
