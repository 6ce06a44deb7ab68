// RUN: kiln-opt %s --convert-linalg-to-prim --split-input-file --verify-diagnostics | FileCheck %s

// What prints a buffer, by MLIR's own name for it or by an attribute, leaves it as it is.
// CHECK-LABEL: func.func @printed
// CHECK: prim.add
func.func private @printMemrefF32(memref<*xf32>)
func.func private @consume(memref<4xf32> {bufferization.access = "read"})
func.func @printed(%x: memref<4xf32>) {
  %any = memref.cast %x : memref<4xf32> to memref<*xf32>
  // expected-remark@+1 {{ignored: call of undefined function 'printMemrefF32'}}
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  // expected-remark@+1 {{ignored: call of undefined function 'consume'}}
  call @consume(%x) : (memref<4xf32>) -> ()
  linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

// Others may write to it, whatever they are called.
func.func private @logits(memref<4xf32>)
func.func @written(%x: memref<4xf32>) {
  // expected-remark@+2 {{ignored: call of undefined function 'logits'}}
  // expected-error@+1 {{unsupported: call of undefined function 'logits'}}
  call @logits(%x) : (memref<4xf32>) -> ()
  linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>)
  // expected-note@+1 {{its result is needed here}}
  return
}
