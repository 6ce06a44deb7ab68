// Entries are compiled with what they need; what else there is stands in no one's way.

// RUN: kiln-run %s --target=cpu --check --entry=good | FileCheck %s --check-prefix=GOOD
// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not kiln-compile %s --target=cpu --entry=missing -o %t.kiln 2>&1 | FileCheck %s --check-prefix=MISSING

// A program read again has no entries but its functions.
// RUN: kiln-compile %s --target=cpu --entry=good --emit=program -o %t.mlir
// RUN: kiln-run %t.mlir --target=cpu --check | FileCheck %s --check-prefix=GOOD
// RUN: kiln-run %t.mlir --target=cpu --check --entry=good | FileCheck %s --check-prefix=GOOD
// RUN: not kiln-run %t.mlir --target=cpu --entry=good_0_exp 2>&1 | FileCheck %s --check-prefix=KERNEL

// GOOD: result 0: ok: 8x16xf32
// ALL: entry.mlir:[[#@LINE+8]]:1: error: unsupported: argument 1 of 'bad' has type 'vector<4xf32>'
// MISSING: error: no function 'missing' with a body
// KERNEL: 'good_0_exp' is a kernel: --grid is needed

func.func @good(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = prim.exp %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
func.func @bad(%x: tensor<8x16xf32>, %i: vector<4xf32>) -> tensor<8x16xf32> {
  return %x : tensor<8x16xf32>
}
