// Views that run backwards reach before their beginning: their accesses have no bounds, which would take offsets below 0 for
// large ones.
// RUN: kiln-run %s --target=amd:gfx942,device=sim --check 2>&1 | FileCheck %s
// CHECK: result 0: ok: 3x4x5xi16, largest error 0
func.func @main(%x: tensor<3x4x5xi16>) -> tensor<3x4x5xi16> {
  %0 = prim.rev %x dims [1] : tensor<3x4x5xi16>
  return %0 : tensor<3x4x5xi16>
}
