// What matmuls cost beside copies is a part of the description. Without it units reach the rates that the description states, and
// all that can overlap does: other blocks for a matmul of one step, and copies that take longer change those of one of several steps.
// RUN: kiln-compile --describe=nvidia:sm_90a | sed -n '/^#kiln.target/,$p' > %t.stated.mlir
// RUN: sed 's/matmul_costs = {[^{}]*{[^{}]*}[^{}]*{[^{}]*}[^{}]*{[^{}]*}[^{}]*}, //' %t.stated.mlir > %t.none.mlir
// RUN: not grep -q matmul_costs %t.none.mlir
// RUN: sed 's/begin = 800/begin = 80000/' %t.stated.mlir > %t.late.mlir
// RUN: sed 's/way = 1000/way = 100000/' %t.stated.mlir > %t.far.mlir
// RUN: for kind in stated none late far; do kiln-compile %s --target=nvidia:sm_90a,description=%t.$kind.mlir --emit=tile -o - | FileCheck %s --check-prefix=$kind || exit 1; done
// stated: tile.kernel {{.*}} -> 64x128x64"
// stated: tile.kernel {{.*}} -> 64x128x128"
// none: tile.kernel {{.*}} -> 256x64x64"
// none: tile.kernel {{.*}} -> 64x128x128"
// late: tile.kernel {{.*}} -> 256x128x32"
// far: tile.kernel {{.*}} -> 64x128x64"
// far: tile.kernel {{.*}} -> 128x128x64x2"
func.func @main(%a: tensor<131072x64xbf16>, %b: tensor<64x128xbf16>) -> tensor<131072x128xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<131072x64xbf16>, tensor<64x128xbf16> -> tensor<131072x128xf32>
  return %d : tensor<131072x128xf32>
}
func.func @deep(%a: tensor<1024x4096xbf16>, %b: tensor<4096x1024xbf16>) -> tensor<1024x1024xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x4096xbf16>, tensor<4096x1024xbf16> -> tensor<1024x1024xf32>
  return %d : tensor<1024x1024xf32>
}
