// Warp-specialised partitions print and parse again, with their hints.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @copy
tile.kernel @copy(%a: !tile.view<?xf32> {tile.readonly}, %c: !tile.view<?xf32>) {
  %i = tile.program_id : index
  // CHECK: stage.roles "load" hints {registers = 40 : i64} {
  // CHECK: tile.load
  // CHECK: } "idle" {
  stage.roles "load" hints {registers = 40 : i64} {
    %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %t, %c[%i] : tensor<64xf32>, !tile.view<?xf32>
  } "idle" {
  }
}
