// What it costs to add up the sums of split-K is a part of the description. A description that states the defaults gets the blocks of one
// that states none.
// RUN: kiln-compile --describe=nvidia:sm_90a | sed -n '/^#kiln.target/,$p' > %t.none.mlir && not grep -q ' parts = ' %t.none.mlir
// RUN: sed 's/matmul_costs = {/&parts = {barrier = 1000, write = 20, read = 24, launch = 2000, share = 0.545}, /' %t.none.mlir > %t.stated.mlir
// RUN: sed 's/matmul_costs = {/&parts = {launch = 0, share = 100}, /' %t.none.mlir > %t.fast.mlir
// RUN: sed 's/matmul_costs = {/&parts = {launch = 1000000, share = 100}, /' %t.none.mlir > %t.late.mlir
// RUN: for kind in none stated fast late; do kiln-compile %s --target=nvidia:sm_90a,ptxas=none,description=%t.$kind.mlir --emit=tile -o - | FileCheck %s --check-prefix=$kind || exit 1; done
// none: tile.kernel {{.*}} -> 64x64x128"
// stated: tile.kernel {{.*}} -> 64x64x128"
// fast: tile.kernel {{.*}} -> 128x128x64x4"
// late: tile.kernel {{.*}} -> 64x64x128"
//
// In clusters, barriers and the exchange of sums count.
// RUN: kiln-compile --describe=nvidia:sm_90a,part_clusters=on | sed -n '/^#kiln.target/,$p' > %t.near.mlir
// RUN: sed 's/matmul_costs = {/&parts = {barrier = 1000, write = 20, read = 24, launch = 2000, share = 0.545}, /' %t.near.mlir > %t.same.mlir
// RUN: sed 's/matmul_costs = {/&parts = {barrier = 1000000}, /' %t.near.mlir > %t.waits.mlir
// RUN: sed 's/matmul_costs = {/&parts = {write = 0.001}, /' %t.near.mlir > %t.writes.mlir
// RUN: sed 's/matmul_costs = {/&parts = {read = 0.001}, /' %t.near.mlir > %t.reads.mlir
// RUN: for kind in near same; do kiln-compile %s --target=nvidia:sm_90a,ptxas=none,part_clusters=on,description=%t.$kind.mlir --emit=tile -o - \
// RUN:   | FileCheck %s --check-prefix=NEAR || exit 1; done
// RUN: for kind in waits writes reads; do kiln-compile %s --target=nvidia:sm_90a,ptxas=none,part_clusters=on,description=%t.$kind.mlir --emit=tile -o - \
// RUN:   | FileCheck %s --check-prefix=ALONE || exit 1; done
// NEAR: tile.kernel {{.*}} -> 64x128x128x2"
// NEAR: tile.cluster_barrier
// ALONE: tile.kernel {{.*}} -> 64x64x128"
// ALONE-NOT: tile.cluster_barrier
func.func @main(%a: tensor<128x14336xbf16>, %b: tensor<14336x4096xbf16>) -> tensor<128x4096xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<128x14336xbf16>, tensor<14336x4096xbf16> -> tensor<128x4096xf32>
  return %d : tensor<128x4096xf32>
}
