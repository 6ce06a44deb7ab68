// All texts of the wire form are UTF-8. A file's name that is not gets U+FFFD; a string that is not declines its operation.
// RUN: kiln-opt %s --split-input-file --tile-to-wire --verify-diagnostics --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: tile.kernel @file
// CHECK: tile.print "gr\C3\B6\C3\9Fe: "
// CHECK-SAME: loc("h\EF\BF\BDre.mlir":3:4)
tile.kernel @file(%x: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  tile.print "größe: " %a : tensor<64xf32> loc("h\FFre.mlir":3:4)
}

// -----

tile.kernel @string(%x: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  // expected-error @below {{unsupported: attribute 'prefix' of 'tile.print' has a text that is not UTF-8}}
  tile.print "gr\F6\DFe: " %a : tensor<64xf32>
}
