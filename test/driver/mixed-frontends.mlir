// Recognition by contents: TOSA and linalg have a frontend each, and what a lowering from the one to
// the other has left half way is the latter's.
// RUN: split-file %s %t
// RUN: kiln-compile %t/tosa.mlir --emit=prim --print-pipeline | FileCheck %s --check-prefix=TOSA
// RUN: kiln-compile %t/linalg.mlir --emit=prim --print-pipeline | FileCheck %s --check-prefix=LINALG
// RUN: kiln-compile %t/half.mlir --emit=prim --print-pipeline | FileCheck %s --check-prefix=LINALG
// RUN: kiln-compile %t/neither.mlir --emit=prim --print-pipeline | FileCheck %s --check-prefix=LINALG
// RUN: kiln-compile %t/beside.mlir --emit=program --print-pipeline | FileCheck %s --check-prefix=BESIDE
// RUN: for file in tosa linalg half neither; do kiln-run %t/$file.mlir --target=cpu --check --no-fallback || exit 1; done | FileCheck %s
// RUN: kiln-opt %t/half.mlir --kiln-frontend | FileCheck %s --check-prefix=PRIM
// RUN: not kiln-opt %t/linalg.mlir --kiln-frontend=frontend=triton 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not kiln-opt %t/linalg.mlir --kiln-frontend=frontend=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not kiln-opt %t/linalg.mlir --convert-tosa-to-prim 2>&1 | FileCheck %s --check-prefix=APART
// TOSA: convert-tosa-to-prim
// LINALG: convert-linalg-to-prim
// BESIDE: convert-tosa-to-prim
// CHECK-COUNT-4: result 0: ok
// PRIM-NOT: tosa
// PRIM: prim.exp
// PRIM-NOT: linalg
// WRONG: error: frontend 'triton' finds nothing to read, expected one of its functions: tt.func
// NONE: error: no frontend 'none', expected one of: prim, tile, tosa, linalg, triton, stablehlo, onnx
// APART: error: unsupported: linalg.exp has no translation to prim

//--- tosa.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tosa.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//--- linalg.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//--- half.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tosa.exp %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

//--- neither.mlir
func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = arith.addf %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//--- beside.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tosa.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
tile.kernel @k(%x: !tile.view<?xf32>) {
  %c = arith.constant dense<0.0> : tensor<8xf32>
  %i = tile.program_id : index
  tile.store %c, %x[%i] : tensor<8xf32>, !tile.view<?xf32>
}
