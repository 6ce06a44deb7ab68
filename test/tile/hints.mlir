// Hints are typed, print as words, and stay where passes work on what they are about.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-lower-pointers))' | FileCheck %s --check-prefix=LOW
// RUN: kiln-opt %s --tile-retile="kernel=views sizes=32" | FileCheck %s --check-prefix=RETILE

// CHECK-LABEL: tile.kernel @views
// CHECK-SAME: attributes {tile.hints = #tile.kernel_hints<warps = 8, threads_per_warp = 32, cluster = 2, registers = 168>}
// KEPT: tile.hints = #tile.kernel_hints<warps = 8
// RETILE: tile.hints = #tile.kernel_hints<warps = 8
tile.kernel @views(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>)
    attributes {tile.launch = #tile.kernel_hints<warps = 8, threads_per_warp = 32, cluster = 2, registers = 168>} {
  %i = tile.program_id : index
  // CHECK: tile.load %{{.*}}[%{{.*}}] volatile cache streaming evict first {tile.facts = {contiguity = array<i64: 64>, divisibility = array<i64: 16>}} : !tile.view<?xf32> -> tensor<64xf32>
  // KEPT: tile.load {{.*}} volatile cache streaming evict first {tile.facts = {contiguity
  // RETILE: tile.load {{.*}} volatile cache streaming evict first {tile.facts = {contiguity = {{.*}} -> tensor<32xf32>
  %x = tile.load %a[%i] volatile cache streaming evict first {tile.contiguity = array<i64: 64>, tile.divisibility = array<i64: 16>}
    : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}] cache write_back evict last : tensor<64xf32>, !tile.view<?xf32>
  // RETILE: tile.store {{.*}} cache write_back evict last : tensor<32xf32>
  tile.store %x, %b[%i] cache write_back evict last : tensor<64xf32>, !tile.view<?xf32>
}

// CHECK-LABEL: tile.kernel @indirect
tile.kernel @indirect(%a: !tile.view<?x8xf32>, %n: !tile.view<?xi32>, %i: index) {
  %ids = tile.load %n[%i] : !tile.view<?xi32> -> tensor<4xi32>
  // CHECK: tile.load_gather %{{.*}}[%{{.*}}] dim 0 by %{{.*}} cache outer : !tile.view<?x8xf32>
  %x = tile.load_gather %a[%i] dim 0 by %ids cache outer : !tile.view<?x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
  // CHECK: tile.store_scatter %{{.*}}, %{{.*}}[%{{.*}}] dim 0 by %{{.*}} volatile evict first : tensor<4x8xf32>
  tile.store_scatter %x, %a[%i] dim 0 by %ids volatile evict first : tensor<4x8xf32>, !tile.view<?x8xf32>, tensor<4xi32>
}

// CHECK-LABEL: tile.kernel @pointers
// LOW-LABEL: tile.kernel @pointers
// KEPT-LABEL: tile.kernel @pointers
tile.kernel @pointers(%p: !tile.ptr<f32> {tile.align = 16 : i64}, %n: i32 {tile.divisibility = 8 : i64}) {
  %iota = tile.iota 0 : tensor<16xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %ps = tile.splat %p : tensor<16x!tile.ptr<f32>>
  // CHECK: tile.ptr_add {{.*}} {tile.facts = {contiguity = array<i64: 16>, divisibility = array<i64: 4>}}
  // LOW: arith.addi {{.*}} {tile.facts = {contiguity = array<i64: 16>, divisibility = array<i64: 4>}} : tensor<16xi64>
  // KEPT: tile.ptr_add {{.*}} {tile.facts = {contiguity
  %q = tile.ptr_add %ps, %iota {tile.contiguity = array<i64: 16>, tile.divisibility = array<i64: 4>} : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // CHECK: scf.for
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: tile.load_ptr %{{.*}} volatile cache uncached evict last : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    // LOW: tile.load_ptr {{.*}} volatile cache uncached evict last
    %x = tile.load_ptr %q volatile cache uncached evict last : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    // CHECK: tile.store_ptr %{{.*}}, %{{.*}} cache write_through : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
    tile.store_ptr %q, %x cache write_through : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  // CHECK: } {tile.hints = #tile.loop_hints<stages = 3, unroll = 2, flatten = true, specialize = true, single_accumulator = true>}
  // KEPT: } {tile.hints = #tile.loop_hints<stages = 3
  // LOW: } {tile.hints = #tile.loop_hints<stages = 3
  } {tile.loop = #tile.loop_hints<stages = 3, unroll = 2, flatten = true, specialize = true, single_accumulator = true>}
}
