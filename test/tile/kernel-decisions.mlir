// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes decide about a kernel is in its definition. Text of version 0.1 has it beside the definition.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: [[SET:#set[0-9]*]] = affine_set<()[s0, s1, s2, s3] : (s0 - 1 >= 0, -s1 + 4 >= 0)>
// CHECK: tile.kernel @all(%{{.*}}: i32) attributes {device = "cpu", grid_scale = array<i64: 64, 32, 1, 1, 1, 1>, shared_bytes = 32 : i64, tiling = "sum", variants = [@one], warps = 4 : i64}
// CHECK: tile.kernel private @one(%{{.*}}: i32) attributes {condition = [[SET]], most_instances = array<i64: 4, 1, 1>}
tile.kernel @all(%n: i32) attributes {device = "cpu", grid_scale = array<i64: 64, 32, 1, 1, 1, 1>, shared_bytes = 32 : i64,
    tiling = "sum", variants = [@one], warps = 4 : i64} {}
tile.kernel private @one(%n: i32) attributes {condition = affine_set<()[n, x, y, z] : (n - 1 >= 0, 4 - x >= 0)>,
    most_instances = array<i64: 4, 1, 1>} {}

// CHECK: tile.kernel @old(%{{.*}}: i32) attributes {device = "cpu", grid_scale = array<i64: 64, 32, 1, 1, 1, 1>, shared_bytes = 32 : i64, tiling = "sum", variants = [@older], warps = 4 : i64}
// CHECK: tile.kernel private @older(%{{.*}}: i32) attributes {condition = [[SET]], most_instances = array<i64: 4, 1, 1>}
tile.kernel @old(%n: i32) attributes {kiln.device = "cpu", kiln.tiling = "sum", simt.shared_bytes = 32 : i64, simt.warps = 4 : i64,
    tile.grid_scale = array<i64: 64, 32, 1, 1, 1, 1>, tile.variants = [@older]} {}
tile.kernel private @older(%n: i32) attributes {tile.most_instances = array<i64: 4, 1, 1>,
    tile.requires = affine_set<()[n, x, y, z] : (n - 1 >= 0, 4 - x >= 0)>} {}

// -----

// expected-error@+1 {{expected 'most_instances' to be three numbers of at least 1, found array<i64: 4, 0, 1>}}
tile.kernel @instances() attributes {most_instances = array<i64: 4, 0, 1>} {}

// -----

// expected-error@+1 {{expected 'grid_scale' to be six numbers of at least 1, found array<i64: 4, 2>}}
tile.kernel @scale() attributes {grid_scale = array<i64: 4, 2>} {}

// -----

// expected-error@+1 {{expected 'variants' to name kernels, found []}}
tile.kernel @nothing() attributes {variants = []} {}

// -----

// expected-error@+1 {{attribute 'variants' failed to satisfy constraint: flat symbol ref array attribute}}
tile.kernel @text() attributes {variants = ["other"]} {}

// -----

// expected-error@+1 {{expected 'condition' to be an affine set with a symbol for each parameter and three for the grid, found affine_set<()[s0] : (s0 >= 0)>}}
tile.kernel @symbols() attributes {condition = affine_set<()[n] : (n >= 0)>} {}

// -----

// expected-error@+1 {{expected at least one warp, found 0}}
tile.kernel @none() attributes {warps = 0 : i64} {}

// -----

// expected-error@+1 {{expected 'shared_bytes' not to be negative, found -8}}
tile.kernel @negative() attributes {shared_bytes = -8 : i64} {}

// -----

tile.kernel @elsewhere(%x: !tile.view<?xf32>) {
  %i = tile.program_id : index
  // expected-error@+1 {{expected an attribute that dialect 'simt' has, found 'simt.warps'}}
  %a = tile.load %x[%i] {simt.warps = 4 : i64} : !tile.view<?xf32> -> tensor<32xf32>
}
