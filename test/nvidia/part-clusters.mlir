// With the option part_clusters instances that share the depth of a product are a cluster: pairs exchange halves of their columns, and no
// second kernel adds up the sums.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,part_clusters=on,blocks=64x64x64x4 --no-fallback --emit=tile -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,part_clusters=on,verify=1,blocks=64x64x64x4 --no-fallback --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,part_clusters=on,blocks=64x64x64x4 --no-fallback --verify-semantics -o %t.kpkg
// Three parts are no cluster, and neither are those of a chip without clusters.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,part_clusters=on,blocks=64x64x64x3 --no-fallback --emit=tile | FileCheck %s --check-prefix=TWO
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none,part_clusters=on,blocks=64x64x64x4 --no-fallback --emit=tile | FileCheck %s --check-prefix=TWO
// By default a second kernel adds them up, as on an H200 it is faster.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x64x64x4 --no-fallback --emit=tile | FileCheck %s --check-prefix=TWO
// As threads, in several orders of events: with the producer of copies, and without.
// RUN: for more in "seed=0" "seed=1" "seed=2,thread_options=producer=on" "seed=3,thread_options=bulk=off"; do \
// RUN:   kiln-run %t.mlir --target=reference,threads=nvidia:sm_90a,$more,races=error --entry=main_0_dot --grid=4,2,2 \
// RUN:     --arg=random:1:bf16:100x512 --arg=random:2:bf16:512x120 --arg=zeros:f32:4x100x120 --arg=random:3:bf16:120 --arg=zeros:bf16:100x120 \
// RUN:     --check 2>&1 | FileCheck %s --check-prefix=RIGHT || exit 1; done
// RIGHT-NOT: race
// RIGHT: ok
// Without one of its barriers an instance reads what another one has not written.
// RUN: sed '0,/tile.cluster_barrier/{/tile.cluster_barrier/d}' %t.mlir > %t.broken.mlir
// RUN: not kiln-run %t.broken.mlir --target=reference,threads=nvidia:sm_90a,seed=1,races=error --entry=main_0_dot --grid=4,2,2 --arg=random:1:bf16:100x512 \
// RUN:   --arg=random:2:bf16:512x120 --arg=zeros:f32:4x100x120 --arg=random:3:bf16:120 --arg=zeros:bf16:100x120 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: race

// CHECK-LABEL: tile.kernel @main_0_dot(
// CHECK: scf.for
// CHECK: tile.dot
// CHECK: %[[FIRST:.*]], %[[SECOND:.*]] = tile.split %{{.*}} : tensor<64x32x2xf32>
// CHECK: %[[GIVEN:.*]] = arith.select %{{.*}}, %[[FIRST]], %[[SECOND]]
// CHECK: tile.store %[[GIVEN]], %{{.*}} : tensor<64x32xf32>, !tile.view<4x100x120xf32>
// CHECK: arith.select %{{.*}}, %[[SECOND]], %[[FIRST]]
// CHECK: tile.cluster_barrier [4, 1, 1]
// CHECK: tile.load
// CHECK: arith.addf
// CHECK: tile.split %{{.*}} : tensor<64x16x2xf32>
// CHECK: tile.cluster_barrier [4, 1, 1]
// CHECK: arith.maximumf
// CHECK: tile.store {{.*}} : tensor<64x16xbf16>
// CHECK-NOT: tile.kernel
// TWO: tile.kernel @main_0_dot_parts(
// PTX: .entry main_0_dot(
// PTX-COUNT-2: barrier.cluster.arrive
// PTX-NOT: .entry
func.func @main(%a: tensor<100x512xbf16>, %b: tensor<512x120xbf16>, %c: tensor<120xbf16>) -> tensor<100x120xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x512xbf16>, tensor<512x120xbf16> -> tensor<100x120xf32>
  %0 = prim.convert_element_type %c : tensor<120xbf16> -> tensor<120xf32>
  %1 = prim.broadcast_in_dim %0 dims [1] : tensor<120xf32> -> tensor<100x120xf32>
  %2 = prim.add %d, %1 : tensor<100x120xf32>
  %3 = prim.full 0.0 : f32 : tensor<100x120xf32>
  %4 = prim.maximum %2, %3 : tensor<100x120xf32>
  %5 = prim.convert_element_type %4 : tensor<100x120xf32> -> tensor<100x120xbf16>
  return %5 : tensor<100x120xbf16>
}
