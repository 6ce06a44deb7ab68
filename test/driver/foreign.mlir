// What a file holds for other tools stands in no one's way; the function that needs it is refused.

// RUN: kiln-run %s --target=cpu --check --entry=good | FileCheck %s --check-prefix=GOOD
// RUN: kiln-run %s --target=reference --entry=good | FileCheck %s --check-prefix=REFERENCE
// RUN: %llvm_bin/mlir-opt %s --emit-bytecode -o %t.mlirbc
// What a host has written itself is read at once: no process tries it before.
// RUN: kiln-compile %t.mlirbc --entry=good --target=cpu -o %t.tried.kiln && kiln-compile %t.mlirbc --entry=good --target=cpu --trust-input -o %t.trusted.kiln
// RUN: cmp %t.tried.kiln %t.trusted.kiln
// RUN: kiln-run %t.mlirbc --target=cpu --check --entry=good | FileCheck %s --check-prefix=GOOD
// RUN: kiln-compile %s --entry=good --emit=prim -o - | FileCheck %s --check-prefix=PRIM
// RUN: kiln-compile %s --entry=good --target=cpu --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: not kiln-compile %s --entry=compressed --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SPARSE
// RUN: not kiln-compile %s --entry=native --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: not kiln-compile %s --entry=__transform_main --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SCRIPT
// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=ALL

// GOOD: result 0: ok: 4x4xf32
// REFERENCE: result 0: 4x4xf32
// PRIM: module {
// PRIM-NEXT: func.func @good
// PRIM-NOT: @
// LLVM: define
// SPARSE: foreign.mlir:[[#@LINE+17]]:10: error: unsupported: sparse_tensor.convert has no translation to prim
// NATIVE: foreign.mlir:[[#@LINE+22]]:3: error: unsupported: function 'native' is defined by 'llvm.func', expected 'func.func'
// SCRIPT: error: no function '__transform_main' with a body, expected one of: good, compressed, native
// ALL: foreign.mlir:[[#@LINE+20]]:3: error: unsupported: function 'native' is
// ALL-NEXT: note: --entry=NAME compiles one function and what it needs

#sparse = #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>
module attributes {
    transform.with_named_sequence, gpu.container_module, llvm.data_layout = "e-m:e",
    dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>,
    spirv.target_env = #spirv.target_env<#spirv.vce<v1.0, [Shader], []>, #spirv.resource_limits<>>} {
  func.func @good(%x: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32>
      attributes {llvm.emit_c_interface, transform.target_tag = "payload"} {
    %0 = tosa.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @compressed(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = sparse_tensor.convert %x : tensor<4xf32> to tensor<4xf32, #sparse>
    %1 = sparse_tensor.convert %0 : tensor<4xf32, #sparse> to tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @sparse(tensor<4xf32, #sparse>)
  llvm.func @printf(!llvm.ptr, ...) -> i32
  llvm.func @native(%a: i32) -> i32 { llvm.return %a : i32 }
  llvm.mlir.global internal constant @text("abc")
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  gpu.module @kernels { gpu.func @k() kernel { gpu.return } }
  module @inner { func.func @elsewhere() { return } }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
