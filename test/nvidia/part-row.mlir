// A single row whose parts of the depth are shared out compiles with and without clusters: its block has more rows for the matrix
// unit, and a second kernel adds up its sums.
// RUN: for chip in sm_90a sm_120; do for clusters in on off; do for entry in brain half; do \
// RUN:   kiln-compile %s --entry=$entry --target=nvidia:$chip,ptxas=none,part_clusters=$clusters --no-fallback --verify-semantics -o %t.kpkg || exit 1; \
// RUN: done; done; done
// RUN: kiln-compile %s --entry=brain --target=nvidia:sm_90a,ptxas=none,part_clusters=on --no-fallback --emit=tile | FileCheck %s --check-prefix=NONE
// With blocks that are asked for, and what follows the product:
// RUN: for clusters in on off; do kiln-compile %s --entry=half --target=nvidia:sm_90a,ptxas=none,part_clusters=$clusters,blocks=16x64x64x4 --no-fallback \
// RUN:   --emit=tile | FileCheck %s --check-prefix=CHECK || exit 1; done
// NONE-NOT: tile.cluster_barrier
// CHECK: tile.kernel @{{.*}}_dot_parts(
// CHECK-NOT: tile.cluster_barrier
func.func @brain(%a: tensor<1x512xbf16>, %b: tensor<512x512xbf16>) -> tensor<1x512xbf16> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1x512xbf16>, tensor<512x512xbf16> -> tensor<1x512xbf16>
  return %0 : tensor<1x512xbf16>
}
func.func @half(%a: tensor<1x512xf16>, %b: tensor<512x512xf16>, %c: tensor<512xf16>) -> tensor<1x512xf16> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1x512xf16>, tensor<512x512xf16> -> tensor<1x512xf16>
  %1 = prim.broadcast_in_dim %c dims [1] : tensor<512xf16> -> tensor<1x512xf16>
  %2 = prim.add %0, %1 : tensor<1x512xf16>
  return %2 : tensor<1x512xf16>
}
