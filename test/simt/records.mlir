// Text of an instruction set, and space for a record that the host reads: both print and parse again.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @text
func.func @text(%x: i32, %y: f32) -> i32 {
  // CHECK: simt.inline_asm "double $0, $1" isa "machine" constraints "=r,r" pure(%arg0) : (i32) -> i32
  %r = simt.inline_asm "double $0, $1" isa "machine" constraints "=r,r" pure (%x) : (i32) -> i32
  // CHECK: simt.inline_asm "send $0" isa "machine" constraints "f"(%arg1) : (f32) -> ()
  simt.inline_asm "send $0" isa "machine" constraints "f" (%y) : (f32) -> ()
  return %r : i32
}

// Text without results that is pure is dead; other text and records stay.
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: func.func @effects
// KEPT-NOT: "idle"
// KEPT: simt.inline_asm "send $0"
// KEPT: simt.output 128
// CHECK-LABEL: func.func @effects
func.func @effects(%y: f32) {
  %r = simt.inline_asm "idle $0" isa "machine" constraints "=r" pure () : () -> i32
  simt.inline_asm "send $0" isa "machine" constraints "f" (%y) : (f32) -> ()
  // CHECK: simt.output 128 : !llvm.ptr
  %p = simt.output 128 : !llvm.ptr
  return
}

// CHECK-LABEL: func.func @ends
func.func @ends() {
  // CHECK: simt.stop
  simt.stop
  return
}
