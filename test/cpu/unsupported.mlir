// What the cpu family does not do is said where it stands.
// RUN: not kiln-compile %s --target=cpu -o %t.kiln 2>&1 | FileCheck %s

tile.kernel @foreign(%x: !tile.view<?xi32> {tile.readonly}, %y: !tile.view<?xi32> {tile.noalias}) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xi32> -> tensor<64xi32>
  // CHECK: unsupported.mlir:[[@LINE+1]]:{{[0-9]+}}: error: unsupported: tile.inline_asm
  %b = tile.inline_asm "mov.u32 $0, %laneid;" isa "ptx" constraints "=r,r" pack 1 pure (%a)
     : (tensor<64xi32>) -> tensor<64xi32>
  tile.store %b, %y[%i] : tensor<64xi32>, !tile.view<?xi32>
}
