// A global that keeps its value is a constant; one that no function needs reaches no target.

// RUN: kiln-run %s --target=cpu --check --entry=add | FileCheck %s --check-prefix=OK
// RUN: kiln-run %s --target=reference --entry=add --arg=zeros | FileCheck %s --check-prefix=SUM
// RUN: kiln-run %s --target=reference --entry=plain | FileCheck %s --check-prefix=PLAIN
// RUN: kiln-compile %s --target=reference --entry=add --emit=binary -o %t.mlirbc
// The device's modules end with a seal of 40 bytes.
// RUN: head -c -40 %t.mlirbc | kiln-opt - | FileCheck %s --check-prefix=MODULE
// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=STATE

// OK: result 0: ok: 4xf32
// SUM: result 0: 4xf32: 1, 3, 5, 7
// PLAIN: result 0: 4xf32
// MODULE: module {
// MODULE-NEXT: func.func @add
// MODULE-NOT: @
// STATE: globals.mlir:[[#@LINE+22]]:10: error: unsupported: ml_program.global_load reads 'state', whose value can change
// STATE: globals.mlir:[[#@LINE+22]]:3: error: unsupported: ml_program.global_store
// STATE: globals.mlir:[[#@LINE+19]]:1: remark: function 'counts' is not converted, others are: --entry=NAME compiles

llvm.mlir.global internal constant @text("abc")
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
ml_program.global private mutable @state(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @bias(dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @scale(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : tensor<4xf32>

func.func @add(%x: tensor<4xf32>) -> tensor<4xf32> {
  %bias = ml_program.global_load_const @bias : tensor<4xf32>
  %scale = ml_program.global_load @scale : tensor<4xf32>
  %0 = tosa.add %bias, %scale : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.add %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @counts(%x: tensor<4xf32>) -> tensor<4xf32> {
  %old = ml_program.global_load @state : tensor<4xf32>
  ml_program.global_store @state = %x : tensor<4xf32>
  return %old : tensor<4xf32>
}
