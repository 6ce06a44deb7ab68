// What matmuls cost beside copies is a part of the description. Without it units reach the rates that the description states, and
// all that can overlap does: other blocks for a matmul of one step.
// RUN: kiln-compile --describe=nvidia:sm_90a | sed -n '/^#kiln.target/,$p' > %t.stated.mlir
// RUN: sed 's/matmul_costs = {[^{}]*{[^{}]*}[^{}]*{[^{}]*}[^{}]*}, //' %t.stated.mlir > %t.none.mlir
// RUN: not grep -q matmul_costs %t.none.mlir
// RUN: sed 's/begin = 800/begin = 80000/' %t.stated.mlir > %t.late.mlir
// RUN: for kind in stated none late; do kiln-compile %s --target=nvidia:sm_90a,description=%t.$kind.mlir --emit=tile -o - | FileCheck %s --check-prefix=$kind || exit 1; done
// stated: tile.kernel {{.*}} -> 64x128x64"
// none: tile.kernel {{.*}} -> 256x64x64"
// late: tile.kernel {{.*}} -> 256x128x32"
func.func @main(%a: tensor<131072x64xbf16>, %b: tensor<64x128xbf16>) -> tensor<131072x128xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<131072x64xbf16>, tensor<64x128xbf16> -> tensor<131072x128xf32>
  return %d : tensor<131072x128xf32>
}
