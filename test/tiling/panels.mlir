// A tile in panels is filled by at most 64 boxes: sixteen for each 8 columns and 32 steps here. Blocks keep to that.
// RUN: kiln-compile %s --load-target=%S/Inputs/panels.mlir --target=panels --emit=program | FileCheck %s

// CHECK-LABEL: tile.kernel private @small
// CHECK: tile.dot {{.*}} tensor<40x32xbf16>, tensor<32x24xbf16>
func.func @small(%a: tensor<40x72xbf16>, %b: tensor<72x24xbf16>) -> tensor<40x24xf32> {
  %c = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<40x72xbf16>, tensor<72x24xbf16> -> tensor<40x24xf32>
  return %c : tensor<40x24xf32>
}

// CHECK-LABEL: tile.kernel private @large
// CHECK: tile.dot {{.*}} tensor<{{[0-9]+}}x32xbf16>, tensor<32x32xbf16>
func.func @large(%a: tensor<512x1024xbf16>, %b: tensor<1024x768xbf16>) -> tensor<512x768xf32> {
  %c = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<512x1024xbf16>, tensor<1024x768xbf16> -> tensor<512x768xf32>
  return %c : tensor<512x768xf32>
}
