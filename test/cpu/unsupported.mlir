// What the vector family does not do is said where it stands.
// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s

// CHECK: unsupported.mlir:[[@LINE+4]]:{{[0-9]+}}: error: unsupported: element type f8E4M3FN
tile.kernel @small(%x: !tile.view<?xf8E4M3FN> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  // A type without a lowering.
  %a = tile.load %x[%i] : !tile.view<?xf8E4M3FN> -> tensor<64xf8E4M3FN>
  %b = arith.extf %a : tensor<64xf8E4M3FN> to tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
