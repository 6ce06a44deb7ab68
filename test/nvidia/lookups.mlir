// Factors that are looked up go through rings, too: each thread copies what it would have loaded, or zeros where there is
// no element, an iteration ahead and more.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/../gpu/execute.py %s
// Without a ring a slot is filled and waited for.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/../gpu/execute.py %s
// What reference evaluates stays the same.
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate))' -o %t

// Rows that a list names, some of them nowhere in the view; both products of the loop read them.
// CHECK-LABEL: tile.kernel @listed(
// CHECK: scf.for
// CHECK: stage.produce %{{.*}} -> (%[[X:.*]], %[[Y:.*]]) :
// CHECK: %[[LOADED:.*]] = tile.load_gather
// CHECK: stage.write %[[LOADED]], %[[X]]
// CHECK: stage.copy async %{{.*}} to %[[Y]]
// CHECK: stage.commit
// CHECK: stage.consume
// CHECK-COUNT-2: stage.read
// CHECK: tile.dot
// CHECK: tile.dot
// listed: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(24 * 64)], l: i32 = [(5 * i) % 24 if i % 5 else [99, 0xffffffff][i % 2] for i in range(16)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(64 * 32)], c: f32 = [0.0] * 512, d: f32 = [0.0] * 512
// listed: scalars = [24, 64, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// listed: expect all(abs(c[32 * m + n] - sum((1 + (64 * l[m] + k) % 7 / 16 if l[m] < 24 else 0) * (1 + (32 * k + n) % 5 / 16) for k in range(64))) < 1e-3 for m in range(16) for n in range(32)) and d == c
// listed: expect count("simt.copy_async") > 2 and count("simt.load_matrix") > 2
// listed/once: scalars = [24, 16, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// listed/once: expect all(abs(c[32 * m + n] - sum((1 + (64 * l[m] + k) % 7 / 16 if l[m] < 24 else 0) * (1 + (32 * k + n) % 5 / 16) for k in range(16))) < 1e-3 for m in range(16) for n in range(32)) and d == c
// listed/never: scalars = [24, 0, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// listed/never: expect all(v == 0 for v in c)
tile.kernel @listed(%a: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                    %l: !tile.ptr<i32> {tile.readonly},
                    %b: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}, %d: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %i = tile.iota 0 : tensor<16xi32>
  %p = tile.splat %l : tensor<16x!tile.ptr<i32>>
  %q = tile.ptr_add %p, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %rows = tile.load_ptr %q : tensor<16x!tile.ptr<i32>> -> tensor<16xi32>
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf16>
  %sum:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %t = %zero) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
    %at = arith.muli %k, %c16 : index
    %x = tile.load_gather %a[%at] dim 0 by %rows : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x16xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %u = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
    %v = tile.dot %x, %y, %t : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
    scf.yield %u, %v : tensor<16x32xf32>, tensor<16x32xf32>
  }
  tile.store %sum#0, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
  tile.store %sum#1, %d[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// Pointers that the loop carries, with masks.
// CHECK-LABEL: tile.kernel @pointed(
// CHECK: scf.for
// CHECK: stage.produce
// CHECK: tile.load_ptr
// CHECK: stage.write
// CHECK: stage.copy async
// CHECK: stage.commit
// pointed: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(64 * 32)], c: f32 = [0.0] * 512
// pointed: scalars = [40, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// pointed: expect all(abs(c[32 * m + n] - sum((1 + (64 * m + k) % 7 / 16) * (1 + (32 * k + n) % 5 / 16) for k in range(40))) < 1e-3 for m in range(16) for n in range(32))
// pointed: expect count("simt.copy_async") > 2 and count("simt.load_matrix") > 2
// pointed/once: scalars = [40, 16, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// pointed/once: expect all(abs(c[32 * m + n] - sum((1 + (64 * m + k) % 7 / 16) * (1 + (32 * k + n) % 5 / 16) for k in range(16))) < 1e-3 for m in range(16) for n in range(32))
// pointed/never: scalars = [40, 0, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// pointed/never: expect all(v == 0 for v in c)
tile.kernel @pointed(%a: !tile.ptr<f16> {tile.readonly, tile.align = 16 : i64}, %most: i32 {tile.divisibility = 8 : i64},
                     %b: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                     %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %nothing = arith.constant dense<0.0> : tensor<16x16xf16>
  %step = arith.constant dense<16> : tensor<16x16xi32>
  %stride = arith.constant dense<64> : tensor<16x1xi32>
  %i = tile.iota 0 : tensor<16xi32>
  %down = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %along = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = arith.muli %down, %stride : tensor<16x1xi32>
  %r = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %k16 = tile.broadcast %along : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %r, %k16 : tensor<16x16xi32>
  %base = tile.splat %a : tensor<16x16x!tile.ptr<f16>>
  %p = tile.ptr_add %base, %o : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %n = tile.num_blocks %b[0] by 16 : !tile.view<?x?xf16>
  %sum:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %at = %p) -> (tensor<16x32xf32>, tensor<16x16x!tile.ptr<f16>>) {
    %k32 = arith.index_cast %k : index to i32
    %c16 = arith.constant 16 : i32
    %begin = arith.muli %k32, %c16 : i32
    %left = arith.subi %most, %begin : i32
    %limit = tile.splat %left : tensor<16x16xi32>
    %mask = arith.cmpi slt, %k16, %limit : tensor<16x16xi32>
    %x = tile.load_ptr %at mask %mask other %nothing : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %u = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
    %next = tile.ptr_add %at, %step : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    scf.yield %u, %next : tensor<16x32xf32>, tensor<16x16x!tile.ptr<f16>>
  }
  tile.store %sum#0, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}
