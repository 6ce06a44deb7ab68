// A matrix instruction that takes bytes of one sign sets block sizes as one that takes both does.
// RUN: kiln-compile %s --load-target=%S/Inputs/signed16.mlir --target=signed16 --emit=program | FileCheck %s
// This target has no code generator, so the host runs what it chooses:
// RUN: unset KILN_NO_FALLBACK; kiln-run %s --load-target=%S/Inputs/signed16.mlir --target=signed16 --check

// CHECK: tile.kernel private @main
// CHECK: tile.dot {{.*}} tensor<64x112xi8>, tensor<112x96xi8>, tensor<64x96xi32>
func.func @main(%x: tensor<50x100xi8>, %w: tensor<100x90xi8>) -> tensor<50x90xi32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<50x100xi8>, tensor<100x90xi8> -> tensor<50x90xi32>
  return %0 : tensor<50x90xi32>
}
