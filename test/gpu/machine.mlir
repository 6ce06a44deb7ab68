// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of a chip come from its description: lanes, warps of a block, the name of the shared memory, axes of the grid,
// what lanes share, and bounds of accesses.
// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands))' | FileCheck %s
// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' | FileCheck %s --check-prefix=THREADS

#wide = #kiln.target<name = "made-up", chip = "wide", topology = <lanes = 64, threads_per_block = 512, grid_axes = 1>,
  memories = [#kiln.memory<name = "lds", scope = core, kind = explicit, size = 65536>,
    #kiln.memory<name = "global", scope = device, kind = cached, bounded = true>],
  units = [#kiln.unit<name = "salu", kind = scalar>]>

module attributes {kiln.target = #wide} {
// Eight warps of 64 lanes are a block; 32 would have been usual.
// CHECK-LABEL: tile.kernel @many
// CHECK-SAME: warps = 8
// CHECK: tile.load {{.*}} lane = {{\[\[}}1], [2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128], [256]]
tile.kernel @many(%x: !tile.view<?xf32>, %y: !tile.view<?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<65536xf32>
  tile.store %a, %y[%c0] : tensor<65536xf32>, !tile.view<?xf32>
}

// A hint is followed as far as it can be.
// CHECK-LABEL: tile.kernel @wished
// CHECK-SAME: warps = 8
// The launch has one axis, so its width is not looked at. What the number of the warp moves is uniform, what that of the
// lane moves is not. Accesses have their view's beginning and extent.
// THREADS-LABEL: llvm.func @wished
// THREADS-SAME: (%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[N:[a-z0-9]+]]: i64,
// THREADS-DAG: %[[C64:.*]] = arith.constant -64 : i32
// THREADS-DAG: %[[C4:.*]] = arith.constant 4 : i64
// THREADS-NOT: gpu.grid_dim
// THREADS: %[[WARP:.*]] = arith.andi %{{.*}}, %[[C64]] : i32
// THREADS: simt.uniform %[[WARP]] : i32
// THREADS: gpu.block_id
// THREADS: arith.remui
// THREADS: %[[EXTENT:.*]] = arith.muli %{{.*}}, %[[C4]] : i64
// THREADS: simt.load %{{.*}} in %[[X]][%{{.*}}] of %{{.*}} : !llvm.ptr<1> mask
// THREADS: simt.store %{{.*}}, %{{.*}} in %{{.*}}[%{{.*}}] of %{{.*}} : !llvm.ptr<1> mask
tile.kernel @wished(%x: !tile.view<?xf32>, %y: !tile.view<?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 32>} {
  %p = tile.program_id : index
  %a = tile.load %x[%p] : !tile.view<?xf32> -> tensor<1024xf32>
  tile.store %a, %y[%p] : tensor<1024xf32>, !tile.view<?xf32>
}
}

// -----

// A chip that does not say has warps of 32 lanes, and blocks of 1024 threads.
module attributes {kiln.target = #kiln.target<name = "made-up", chip = "silent",
  memories = [#kiln.memory<name = "shared", scope = core, kind = explicit>]>} {
// CHECK-LABEL: tile.kernel @usual
// CHECK-SAME: warps = 32
// THREADS-LABEL: llvm.func @usual
// THREADS: gpu.grid_dim
// THREADS-NOT: simt.uniform
// THREADS: simt.load %{{[0-9]*}} mask
tile.kernel @usual(%x: !tile.view<?xf32>, %y: !tile.view<?xf32> {tile.noalias}) {
  %p = tile.program_id : index
  %a = tile.load %x[%p] : !tile.view<?xf32> -> tensor<65536xf32>
  tile.store %a, %y[%p] : tensor<65536xf32>, !tile.view<?xf32>
}
}
