// The wire form: generic text without defaults and without what only Kiln reads. What the reader does not take is declined by
// name, with its place.
// RUN: kiln-opt %s --split-input-file --tile-to-wire | FileCheck %s
// RUN: not kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile-to-wire{operations=tile.load,tile.store,tile.program_id})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FEWER
// RUN: not kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile-to-wire{types=tile.view})' 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile-to-wire{version=0})' 2>&1 | FileCheck %s --check-prefix=OLD

// CHECK-LABEL: tile.kernel @twice
// CHECK-SAME: %arg0: !tile.view<?xf32> {tile.facts = {readonly}}
// CHECK-NOT: kiln.
// CHECK: arith.addf
// FEWER: wire.mlir:[[@LINE+8]]:8: error: unsupported: the target does not read 'arith.addf'
// TYPES: wire.mlir:[[@LINE+3]]:1: error: unsupported: the target does not read type 'f32'
// OLD: wire.mlir:[[@LINE+2]]:1: error: unsupported: 'tile.kernel' came with version 1 of the wire form, the target reads version 0
module attributes {kiln.spec = "reference"} {
tile.kernel @twice(%x: !tile.view<?xf32> {tile.readonly, kiln.argument = {name = "x"}}, %y: !tile.view<?xf32>) attributes {tiling = "one"} {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>

  %b = arith.addf %a, %a : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
}
