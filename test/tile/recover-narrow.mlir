// Sums and products of narrow integers are affine where they cannot wrap around: by constants, by what divides them, by the
// mask of the access, or in launches that the kernel then requires. All others are computed as vectors.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-recover-views{report=true}))' -verify-diagnostics | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-recover-views{assume=false}))' | FileCheck %s --check-prefix=SAFE
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile-vary-views)' | FileCheck %s --check-prefix=VARY

// CHECK: affine_set<()[s0, s1, s2, s3, s4] : (s1 >= 0, s1 * -15 + 2147483647 >= 0)>
// CHECK: #[[NEAR:set[0-9]*]] = affine_set<()[s0, s1, s2, s3, s4, s5, s6] : (s2 * 15 + 1073741823 >= 0, s2 * -15 + 1073741823 >= 0)>
// A block of an instance begins at a multiple of what is added: nothing carries, whatever the product wraps to.
// CHECK-LABEL: tile.kernel @blocks
// CHECK-NOT: condition = #
// CHECK: tile.load %
// SAFE-LABEL: tile.kernel @blocks
// SAFE: tile.load %
// VARY-LABEL: tile.kernel @blocks
// VARY-NOT: @blocks_views
tile.kernel @blocks(%x: !tile.ptr<f32>, %n: i32) {
  %id = tile.program_id : index
  %c16 = arith.constant 16 : i32
  %i = arith.index_cast %id : index to i32
  %at = arith.muli %i, %c16 : i32
  %iota = tile.iota 0 : tensor<16xi32>
  %ats = tile.splat %at : tensor<16xi32>
  %offsets = arith.addi %ats, %iota : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %offsets : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  %v = tile.load_ptr %xp mask %mask : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %xp, %v mask %mask : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}

// A product with a parameter needs that the launch keeps it in 32 bits; the kernel itself computes vectors.
// CHECK-LABEL: tile.kernel @strided
// CHECK-SAME: condition = #set
// CHECK: tile.load %
// SAFE-LABEL: tile.kernel @strided
// SAFE-NOT: condition = #
// SAFE: tile.load_gather
// VARY-LABEL: tile.kernel @strided
// VARY-SAME: attributes {variants = [@strided_views]}
// VARY: tile.load_gather
// VARY-LABEL: tile.kernel private @strided_views
// VARY-SAME: condition = #
// VARY: tile.load %
tile.kernel @strided(%x: !tile.ptr<f32>, %s: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %ss = tile.splat %s : tensor<16xi32>
  %offsets = arith.muli %iota, %ss : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %offsets : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  %v = tile.load_ptr %xp : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %o = tile.ptr_add %xs, %iota : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %o, %v : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}

// The scalar product of an instance's coordinate counts as it is computed. With the condition it is flagged.
// CHECK-LABEL: tile.kernel @rows
// CHECK: arith.muli %{{.*}}, %arg1 overflow<nsw> : i32
// SAFE-LABEL: tile.kernel @rows
// SAFE: arith.muli %{{.*}}, %arg1 : i32
tile.kernel @rows(%x: !tile.ptr<f32>, %s: i32) {
  %id = tile.program_id : index
  %i = arith.index_cast %id : index to i32
  %at = arith.muli %i, %s : i32
  %ats = tile.splat %at : tensor<16xi32>
  %iota = tile.iota 0 : tensor<16xi32>
  %offsets = arith.addi %ats, %iota : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %offsets : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  %v = tile.load_ptr %xp : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %xp, %v : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}

// A mask bounds what it enables. A number from memory is bounded by nothing, and begins a view as it is, but makes no bound
// of a mask.
// CHECK-LABEL: tile.kernel @masked
// CHECK-NOT: condition = #
// CHECK: tile.load %{{.*}} : !tile.view<3xf32, strides = [1000000000]>
// CHECK: tile.load %{{.*}} : !tile.view<16xf32, strides = [1]>
// CHECK: tile.load_gather
// SAFE-LABEL: tile.kernel @masked
// SAFE: tile.load %
// SAFE: tile.load_gather
tile.kernel @masked(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>) {
  %start = tile.load_ptr %y : !tile.ptr<i32> -> i32
  %iota = tile.iota 0 : tensor<16xi32>
  %rows = arith.constant dense<1000000000> : tensor<16xi32>
  %in = arith.constant dense<2> : tensor<16xi32>
  %below = arith.cmpi sle, %iota, %in : tensor<16xi32>
  %far = arith.muli %iota, %rows : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %far : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  %v = tile.load_ptr %xp mask %below : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %starts = tile.splat %start : tensor<16xi32>
  %offsets = arith.addi %starts, %iota : tensor<16xi32>
  %yp = tile.ptr_add %xs, %offsets : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  %w = tile.load_ptr %yp : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %ins = arith.cmpi sle, %offsets, %in : tensor<16xi32>
  // expected-remark@+1 {{gather}}
  %u = tile.load_ptr %yp mask %ins : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %vw = arith.addf %v, %w : tensor<16xf32>
  %sum = arith.addf %vw, %u : tensor<16xf32>
  %op = tile.ptr_add %xs, %iota : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %op, %sum : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}

// A number from memory times a parameter: no condition of a launch keeps that in 32 bits, and none is noted on it, nor on its
// sum with other numbers. The rows begin where the kernel computes it.
// CHECK-LABEL: tile.kernel @read_rows
// CHECK-SAME: condition = #[[NEAR]]
// CHECK: %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: arith.trunci %[[WIDE]] : i64 to i32
// CHECK: tile.load %{{.*}} : !tile.view<16x8xf32, strides = [?, 1]>
// VARY-LABEL: tile.kernel private @read_rows_views
// VARY: tile.load %
tile.kernel @read_rows(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>, %s: i32, %n: i32) {
  %start = tile.load_ptr %y : !tile.ptr<i32> -> i32
  %rows = tile.iota 0 : tensor<16x8xi32>
  %columns = tile.iota 1 : tensor<16x8xi32>
  %starts = tile.splat %start : tensor<16x8xi32>
  %ns = tile.splat %n : tensor<16x8xi32>
  %strides = tile.splat %s : tensor<16x8xi32>
  %before = arith.addi %starts, %ns : tensor<16x8xi32>
  %r = arith.addi %before, %rows : tensor<16x8xi32>
  %lines = arith.muli %r, %strides : tensor<16x8xi32>
  %offsets = arith.addi %lines, %columns : tensor<16x8xi32>
  %xs = tile.splat %x : tensor<16x8x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %offsets : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi32>
  // expected-remark@+1 {{view}}
  %v = tile.load_ptr %xp : tensor<16x8x!tile.ptr<f32>> -> tensor<16x8xf32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %xp, %v : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xf32>
}
