// Triton's hints arrive as tile's, on parameters, elements, accesses, loops and kernels, and stay in recovered views.
// RUN: kiln-opt %s --convert-triton-to-tile | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views))' | FileCheck %s --check-prefix=VIEWS
// RUN: kiln-run %s --target=cpu --check --grid=4 --arg=random:1:f32:256 --arg=zeros:f32:256 --arg=i32:250 --arg=i32:4
// RUN: not kiln-opt %S/Inputs/hints_invalid.ttir --convert-triton-to-tile 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: hints_invalid.ttir:5:3: error: {{.*}}expected 'tt.num_stages' to be an integer of at least 0, found -2 : i32
// CHECK-LABEL: tile.kernel @hints(
// CHECK-SAME: !tile.ptr<f32> {tile.facts = {align = 16 : i64}}
// CHECK-SAME: i32 {tile.facts = {divisibility = 16 : i64}}
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 8, threads_per_warp = 32, cluster = 1, registers = 128>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.maxnreg = 128 : i32} {
  tt.func public @hints(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 48 : i32},
                        %n: i32 {tt.divisibility = 16 : i32}, %m: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    // CHECK: %[[POSITIVE:.*]] = arith.cmpi sgt
    // CHECK: tile.assume %[[POSITIVE]] : i1
    %positive = arith.cmpi sgt, %m, %c0 : i32
    llvm.intr.assume %positive : i1
    %pid = tt.get_program_id x : i32
    // CHECK: arith.muli {{.*}} {tile.facts = {divisibility = array<i64: 64>}} : i32
    %start = arith.muli %pid, %c64 {tt.divisibility = dense<64> : tensor<1xi32>} : i32
    // What is replaced keeps them, too.
    // CHECK: tile.iota 0 {tile.facts = {contiguity = array<i64: 64>}}
    %range = tt.make_range {end = 64 : i32, start = 0 : i32, tt.contiguity = dense<64> : tensor<1xi32>} : tensor<64xi32>
    %first = tt.splat %start : i32 -> tensor<64xi32>
    // CHECK: arith.addi {{.*}} {tile.facts = {contiguity = array<i64: 64>, divisibility = array<i64: 64>}} : tensor<64xi32>
    %at = arith.addi %first, %range {tt.contiguity = dense<64> : tensor<1xi32>, tt.divisibility = dense<64> : tensor<1xi32>} : tensor<64xi32>
    %end = tt.splat %n : i32 -> tensor<64xi32>
    %mask = arith.cmpi slt, %at, %end : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    // CHECK: tile.load_ptr {{.*}} cache streaming evict first
    // VIEWS: tile.load {{.*}} cache streaming evict first
    // VIEWS-SAME: divisibility = array<i64: 64>
    %v = tt.load %xp, %mask cacheModifier = cs evictionPolicy = evict_first : tensor<64x!tt.ptr<f32>>
    // CHECK: scf.for
    %s = scf.for %i = %c0 to %m step %c1 iter_args(%a = %v) -> (tensor<64xf32>) : i32 {
      %b = arith.addf %a, %v : tensor<64xf32>
      scf.yield %b : tensor<64xf32>
    // CHECK: } {tile.hints = #tile.loop_hints<stages = 3, unroll = 2, flatten = true, specialize = true, single_accumulator = true, independent = true>}
    // VIEWS: } {tile.hints = #tile.loop_hints<stages = 3
    } {tt.num_stages = 3 : i32, tt.loop_unroll_factor = 2 : i32, tt.flatten, tt.warp_specialize, tt.disallow_acc_multi_buffer}
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    // CHECK: tile.store_ptr {{.*}} cache write_through
    // VIEWS: tile.store {{.*}} cache write_through
    tt.store %yp, %s, %mask cacheModifier = wt : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
