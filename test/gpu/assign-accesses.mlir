// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses decide layouts: neighbouring lanes read what lies side by side, each as much as what is known of
// addresses lets it read at once.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=1 lanes=64}))' | FileCheck %s --check-prefix=WIDE
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

// 16 bytes: four of f32, eight of f16. One layout for both, of the wider.
// CHECK-LABEL: tile.kernel @known
// CHECK-SAME: warps = 4
// CHECK: tile.load {{.*}} -> tensor<1024xf32, #simt.layout<rank = 1, register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}256], [512]]>>
// CHECK: tile.store {{.*}} tensor<1024xf16, #simt.layout<rank = 1, register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8],
// WIDE-LABEL: tile.kernel @known
// WIDE-SAME: warps = 1
// WIDE: tile.load {{.*}} register = {{\[\[}}1], [2], [4], [512]], lane = {{\[\[}}8], [16], [32], [64], [128], [256]], warp = []>>
tile.kernel @known(%x: !tile.view<?xf32> {tile.readonly, tile.align = 16, tile.size_div = array<i64: 4>},
                   %y: !tile.view<?xf16> {tile.align = 16, tile.size_div = array<i64: 16>}) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1024xf32>
  %b = arith.truncf %a : tensor<1024xf32> to tensor<1024xf16>
  tile.store %b, %y[%i] : tensor<1024xf16>, !tile.view<?xf16>
}

// CHECK-LABEL: tile.kernel @unknown
// CHECK: tile.load {{.*}} register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]>>
tile.kernel @unknown(%x: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1024xf32>
  tile.store %a, %x[%i] : tensor<1024xf32>, !tile.view<?xf32>
}

// An offset that is a multiple of two: two at once.
// CHECK-LABEL: tile.kernel @offset
// CHECK: tile.load {{.*}} register = {{\[\[}}1], [256], [512]], lane = {{\[\[}}2],
tile.kernel @offset(%x: !tile.view<4096xf32> {tile.align = 16}, %n: index) {
  %c2 = arith.constant 2 : index
  %o = arith.muli %n, %c2 : index
  %a = tile.load %x at [%o] : !tile.view<4096xf32> -> tensor<1024xf32>
  tile.store %a, %x at [%o] : tensor<1024xf32>, !tile.view<4096xf32>
}

// The dimension that runs in memory comes first.
// CHECK-LABEL: tile.kernel @columns
// CHECK: tile.load {{.*}} register = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]]>>
tile.kernel @columns(%x: !tile.view<?x?xf32, strides = [1, ?]> {tile.align = 16, tile.size_div = array<i64: 4, 1>, tile.stride_div = array<i64: 1, 4>}) {
  %i = tile.program_id : index
  %a = tile.load %x[%i, %i] : !tile.view<?x?xf32, strides = [1, ?]> -> tensor<32x16xf32>
  tile.store %a, %x[%i, %i] : tensor<32x16xf32>, !tile.view<?x?xf32, strides = [1, ?]>
}

// Fewer elements than threads: copies.
// CHECK-LABEL: tile.kernel @small
// CHECK: tile.load {{.*}} register = [], lane = {{\[\[}}1], [2], [4], [8]], warp = []>>
tile.kernel @small(%x: !tile.view<16xf32> {tile.align = 16}) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<16xf32> -> tensor<16xf32>
  tile.store %a, %x[%i] : tensor<16xf32>, !tile.view<16xf32>
}

// What is stored wider than it was loaded: a thread has what one store takes.
// CHECK-LABEL: tile.kernel @wider
// CHECK: tile.load {{.*}} -> tensor<1024xi8, #simt.layout<rank = 1, register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]>>
tile.kernel @wider(%x: !tile.view<1024xi8> {tile.readonly, tile.align = 16}, %y: !tile.view<1024xf32> {tile.align = 16}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<1024xi8> -> tensor<1024xi8>
  %b = arith.sitofp %a : tensor<1024xi8> to tensor<1024xf32>
  tile.store %b, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32>
  tile.return
}

// Indices of rows are loaded where rows are: each warp loads its own, and nothing is exchanged.
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.load %arg0{{.*}} lane = [], warp = {{\[\[}}1], [2]]>>
// CHECK-NOT: convert_layout
// CHECK: tile.load_gather
tile.kernel @rows(%places: !tile.view<?xi64>, %x: !tile.view<?x128xf32>, %y: !tile.view<?x128xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %n = tile.load %places[%i] : !tile.view<?xi64> -> tensor<4xi64>
  %v = tile.load_gather %x[%c0] dim 0 by %n : !tile.view<?x128xf32>, tensor<4xi64> -> tensor<4x128xf32>
  tile.store %v, %y[%i, %c0] : tensor<4x128xf32>, !tile.view<?x128xf32>
}

// Neighbouring lanes update neighbours. Each warp updates what it has loaded, so that no element goes through shared
// memory: registers tell what warps would else.
// CHECK-LABEL: tile.kernel @updates
// CHECK: tile.load {{.*}} lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]>>
// CHECK: tile.atomic_rmw {{.*}} tensor<512xf32, #simt.layout<rank = 1, register = {{\[\[}}32], [64]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}128], [256]]>>
tile.kernel @updates(%x: !tile.view<512xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<512xf32> -> tensor<512xf32>
  %i = tile.iota 0 : tensor<512xi32>
  %py = tile.splat %y : tensor<512x!tile.ptr<f32>>
  %to = tile.ptr_add %py, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %old = tile.atomic_rmw fadd relaxed device %to, %a : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
}
