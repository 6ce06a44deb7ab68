// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With the option pair_copies instances of a matmul that read the same blocks of a factor are clusters, in which each copies half of these
// blocks for both.
// RUN: rm -rf %t && mkdir -p %t
// RUN: for entry in even odd along; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none,pair_copies=on,blocks=64x64x64 --no-fallback --emit=tile -o %t/$entry.mlir || exit 1; done
// RUN: cat %t/even.mlir %t/odd.mlir %t/along.mlir | FileCheck %s
// RUN: kiln-compile %s --entry=odd --target=nvidia:sm_90a,ptxas=none,pair_copies=on,blocks=64x64x64 --no-fallback --emit=program | FileCheck %s --check-prefix=GRID
// By default, where rows of both operands begin within lines and are many enough.
// RUN: for kind in lines on; do kiln-compile %s --entry=within --target=nvidia:sm_90a,ptxas=none,pair_copies=$kind,blocks=128x128x64 --no-fallback --emit=tile || exit 1; done \
// RUN:   | FileCheck %s --check-prefix=CHOSEN
// RUN: kiln-compile %s --entry=within --target=nvidia:sm_90a,ptxas=none,blocks=128x128x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=WITHIN
// RUN: for entry in lines short; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none,blocks=128x128x64 --no-fallback --emit=tile || exit 1; done | FileCheck %s --check-prefix=NONE
// RUN: kiln-compile %s --entry=within --target=nvidia:sm_90a,ptxas=none,pair_copies=off,blocks=128x128x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=NONE
// RUN: kiln-compile %s --entry=within --target=nvidia:sm_90a,ptxas=none,blocks=128x128x64x2 --no-fallback --emit=tile | FileCheck %s --check-prefix=NONE
// CHOSEN-COUNT-2: tile.cluster_barrier
// WITHIN: tile.cluster_barrier
// For few lines, without clusters, and where there are more instances than cores, there are none.
// RUN: kiln-compile %s --entry=even --target=nvidia:sm_90a,ptxas=none,blocks=64x64x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=NONE
// RUN: kiln-compile %s --entry=even --target=nvidia:sm_80,ptxas=none,pair_copies=on,blocks=64x64x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=NONE
// RUN: kiln-compile %s --entry=many --target=nvidia:sm_90a,ptxas=none,pair_copies=on,blocks=64x64x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.cluster_barrier
//
// The copies that are shared, and their code.
// RUN: kiln-compile %s --entry=even --target=nvidia:sm_90a,ptxas=none,pair_copies=on,blocks=64x64x64 --no-fallback --print-ir-after=simt-share-copies -o %t/even.kiln 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: kiln-compile %s --entry=along --target=nvidia:sm_90a,ptxas=none,pair_copies=on,blocks=64x64x64 --no-fallback --print-ir-after=simt-share-copies -o %t/along.kiln 2>&1 | FileCheck %s --check-prefix=ALONG
// RUN: kiln-run %t/even.kiln --inspect | FileCheck %s --check-prefix=LAUNCH
// RUN: for entry in even odd along; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none,pair_copies=on,producer=on,verify=1,blocks=64x64x64 --no-fallback --emit=asm || exit 1; done | FileCheck %s --check-prefix=PTX
//
// As threads, in several orders of events: with the producer of copies, and without a copy unit.
// RUN: for more in seed=0 seed=1 "seed=2,thread_options=producer=on" "seed=3,thread_options=bulk=off"; do \
// RUN:   kiln-run %t/even.mlir --target=reference,threads=nvidia:sm_90a,$more,races=error --entry=even_0_dot --grid=4,2 --arg=random:1:bf16:200x256 \
// RUN:     --arg=random:2:bf16:256x120 --arg=zeros:f32:200x120 --check || exit 1; \
// RUN:   kiln-run %t/odd.mlir --target=reference,threads=nvidia:sm_90a,$more,races=error --entry=odd_0_dot --grid=4,3 --arg=random:1:f16:136x264 \
// RUN:     --arg=random:2:f16:264x184 --arg=zeros:f16:136x184 --check || exit 1; done
// RUN: kiln-run %t/along.mlir --target=reference,threads=nvidia:sm_90a,seed=4,thread_options=producer=on,races=error --entry=along_0_dot --grid=2,3 \
// RUN:   --arg=random:1:bf16:136x256 --arg=random:2:bf16:256x120 --arg=zeros:f32:136x120 --check

// An odd number of whole blocks: the last instance of a row has none, also where there are several results or parts of the depth.
// RUN: for entry in whole stacked; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none,pair_copies=on,blocks=64x64x64 --no-fallback --emit=tile -o %t/$entry.mlir || exit 1; done
// RUN: kiln-compile %s --entry=thirds --target=nvidia:sm_90a,ptxas=none,pair_copies=on,blocks=64x64x64x2 --no-fallback --emit=tile -o %t/thirds.mlir
// RUN: cat %t/whole.mlir %t/stacked.mlir %t/thirds.mlir | FileCheck %s --check-prefix=WHOLE
// RUN: for more in seed=6 "seed=7,thread_options=producer=on"; do \
// RUN:   kiln-run %t/whole.mlir --target=reference,threads=nvidia:sm_90a,$more,races=error --entry=whole_0_dot --grid=4,1 --arg=random:1:bf16:192x192 \
// RUN:     --arg=random:2:bf16:192x64 --arg=zeros:f32:192x64 --check || exit 1; \
// RUN:   kiln-run %t/stacked.mlir --target=reference,threads=nvidia:sm_90a,$more,races=error --entry=stacked_0_dot --grid=4,3 --arg=random:1:bf16:3x192x192 \
// RUN:     --arg=random:2:bf16:3x192x64 --arg=zeros:f32:3x192x64 --check || exit 1; \
// RUN:   kiln-run %t/thirds.mlir --target=reference,threads=nvidia:sm_90a,$more,races=error --entry=thirds_0_dot --grid=4,2 --arg=random:1:bf16:192x512 \
// RUN:     --arg=random:2:bf16:512x64 --arg=zeros:f32:2x192x64 --check || exit 1; done

// Instances that share the depth are pairs along the rows, too.
// RUN: kiln-compile %s --entry=deep --target=nvidia:sm_90a,ptxas=none,pair_copies=on,blocks=64x64x64x2 --no-fallback --emit=tile -o %t/deep.mlir
// RUN: FileCheck %s --check-prefix=DEEP < %t/deep.mlir
// RUN: kiln-run %t/deep.mlir --target=reference,threads=nvidia:sm_90a,seed=5,races=error --entry=deep_0_dot --grid=4,3,2 --arg=random:1:bf16:136x512 \
// RUN:   --arg=random:2:bf16:512x184 --arg=zeros:f32:2x136x184 --check

// CHECK-LABEL: tile.kernel @even_0_dot
// CHECK: %[[AT:.*]]:2 = tile.program_id
// CHECK: tile.load %arg0[%[[AT]]#0,
// CHECK: tile.load %arg1[%{{.*}}, %[[AT]]#1]
// CHECK: tile.store
// CHECK-NEXT: tile.cluster_barrier [2, 1, 1]
// SHARED: stage.copy async bulk %arg0{{[^{]*}} : !tile.view
// SHARED-NOT: shared_by
// SHARED: stage.copy async bulk %arg1{{.*}}{simt.decided = {shared_by = 2 : i64}}
// LAUNCH: cluster! 2 x 1 x 1
// PTX-LABEL: .entry even_0_dot(
// PTX: .reqnctapercluster 2, 1, 1
// PTX: fence.mbarrier_init.release.cluster
// PTX: barrier.cluster.arrive
// PTX: multicast::cluster
// PTX: mapa.shared::cluster.u32
// PTX: mbarrier.arrive.shared::cluster.b64
// PTX: barrier.cluster.arrive
func.func @even(%a: tensor<200x256xbf16>, %b: tensor<256x120xbf16>) -> tensor<200x120xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<200x256xbf16>, tensor<256x120xbf16> -> tensor<200x120xf32>
  return %0 : tensor<200x120xf32>
}

// Of three rows of blocks and three columns the last instance of a row has a block behind the result.
// CHECK-LABEL: tile.kernel @odd_0_dot
// CHECK: tile.cluster_barrier [2, 1, 1]
// GRID: %[[X:.*]] = arith.constant 4 : index
// GRID: program.launch [@odd_0_dot] grid(%[[X]],
// PTX-LABEL: .entry odd_0_dot(
// PTX: multicast::cluster
func.func @odd(%a: tensor<136x264xf16>, %b: tensor<264x184xf16>) -> tensor<136x184xf16> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<136x264xf16>, tensor<264x184xf16> -> tensor<136x184xf16>
  return %0 : tensor<136x184xf16>
}

// Two columns are pairs, three rows are not: the left factor is shared.
// CHECK-LABEL: tile.kernel @along_0_dot
// CHECK: %[[AT:.*]]:2 = tile.program_id
// CHECK: tile.load %arg0[%[[AT]]#1,
// CHECK: tile.load %arg1[%{{.*}}, %[[AT]]#0]
// ALONG: stage.copy async bulk %arg0{{.*}}{simt.decided = {shared_by = 2 : i64}}
// ALONG: stage.copy async bulk %arg1{{[^{]*}} : !tile.view
// ALONG-NOT: shared_by
// ALONG: stage.copy async bulk %arg0
// PTX-LABEL: .entry along_0_dot(
// PTX: multicast::cluster
func.func @along(%a: tensor<136x256xbf16>, %b: tensor<256x120xbf16>) -> tensor<136x120xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<136x256xbf16>, tensor<256x120xbf16> -> tensor<136x120xf32>
  return %0 : tensor<136x120xf32>
}

func.func @many(%a: tensor<1024x256xbf16>, %b: tensor<256x1024xbf16>) -> tensor<1024x1024xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x256xbf16>, tensor<256x1024xbf16> -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// DEEP-LABEL: tile.kernel @deep_0_dot(
// DEEP: tile.cluster_barrier [2, 1, 1]
// DEEP-LABEL: tile.kernel @deep_0_dot_parts(
// DEEP-NOT: tile.cluster_barrier
func.func @deep(%a: tensor<136x512xbf16>, %b: tensor<512x184xbf16>) -> tensor<136x184xbf16> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<136x512xbf16>, tensor<512x184xbf16> -> tensor<136x184xf32>
  %1 = prim.convert_element_type %0 : tensor<136x184xf32> -> tensor<136x184xbf16>
  return %1 : tensor<136x184xbf16>
}

// WHOLE-LABEL: tile.kernel @whole_0_dot(
// WHOLE: tile.cluster_barrier [2, 1, 1]
func.func @whole(%a: tensor<192x192xbf16>, %b: tensor<192x64xbf16>) -> tensor<192x64xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<192x192xbf16>, tensor<192x64xbf16> -> tensor<192x64xf32>
  return %0 : tensor<192x64xf32>
}

// WHOLE-LABEL: tile.kernel @stacked_0_dot(
// WHOLE: tile.cluster_barrier [2, 1, 1]
func.func @stacked(%a: tensor<3x192x192xbf16>, %b: tensor<3x192x64xbf16>) -> tensor<3x192x64xf32> {
  %0 = prim.dot_general %a, %b batch [0] x [0] contract [2] x [1] : tensor<3x192x192xbf16>, tensor<3x192x64xbf16> -> tensor<3x192x64xf32>
  return %0 : tensor<3x192x64xf32>
}

// WHOLE-LABEL: tile.kernel @thirds_0_dot(
// WHOLE: tile.cluster_barrier [2, 1, 1]
func.func @thirds(%a: tensor<192x512xbf16>, %b: tensor<512x64xbf16>) -> tensor<192x64xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<192x512xbf16>, tensor<512x64xbf16> -> tensor<192x64xf32>
  return %0 : tensor<192x64xf32>
}

func.func @within(%a: tensor<1240x3256xbf16>, %b: tensor<3256x1560xbf16>) -> tensor<1240x1560xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1240x3256xbf16>, tensor<3256x1560xbf16> -> tensor<1240x1560xf32>
  return %0 : tensor<1240x1560xf32>
}

func.func @lines(%a: tensor<1280x3264xbf16>, %b: tensor<3264x1664xbf16>) -> tensor<1280x1664xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1280x3264xbf16>, tensor<3264x1664xbf16> -> tensor<1280x1664xf32>
  return %0 : tensor<1280x1664xf32>
}

func.func @short(%a: tensor<1240x520xbf16>, %b: tensor<520x1560xbf16>) -> tensor<1240x1560xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1240x520xbf16>, tensor<520x1560xbf16> -> tensor<1240x1560xf32>
  return %0 : tensor<1240x1560xf32>
}
