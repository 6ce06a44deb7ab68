// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses through tiles of pointers: vectors along the dimension in which neighbours follow each other, as long as the
// address, the neighbours and the mask allow; one element at a time elsewhere.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=1},simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=1},simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' --mlir-print-op-generic | %python %S/execute.py %s

// A row of eight for each lane, whose mask ends at a multiple of eight: 16 bytes of f16.
// CHECK-LABEL: llvm.func @rows(
// CHECK: simt.load %{{.*}} mask %{{.*}} other %{{.*}} : vector<8xf16> align 16
// CHECK-NOT: simt.load
// CHECK: simt.store %{{.*}} mask %{{.*}} align 16 : vector<8xf16>
// CHECK-NOT: simt.store
// CHECK: llvm.return
// rows: scalars = [16, 40]
// rows: a: f16 = [i for i in range(512)], b: f16 = [0] * 512
// rows: expect b == a[:40] + [0] * 472
tile.kernel @rows(%x: !tile.ptr<f16> {tile.align = 16 : i64}, %y: !tile.ptr<f16> {tile.align = 16 : i64},
                  %stride: i32 {tile.divisibility = 16 : i64}, %most: i32 {tile.divisibility = 8 : i64}) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %i = tile.iota 0 : tensor<16xi32>
  %c = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %r = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %s = tile.splat %stride : tensor<16x1xi32>
  %rows = arith.muli %c, %s : tensor<16x1xi32>
  %down = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %along = tile.broadcast %r : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %down, %along : tensor<16x16xi32>
  %n = tile.splat %most : tensor<16x16xi32>
  %mask = arith.cmpi slt, %offsets, %n : tensor<16x16xi32>
  %px = tile.splat %x : tensor<16x16x!tile.ptr<f16>>
  %from = tile.ptr_add %px, %offsets : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %a = tile.load_ptr %from mask %mask other %zero : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
  %py = tile.splat %y : tensor<16x16x!tile.ptr<f16>>
  %to = tile.ptr_add %py, %offsets : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store_ptr %to, %a mask %mask : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xf16>
}

// Columns: threads go along the dimension in which elements follow each other.
// CHECK-LABEL: llvm.func @columns(
// CHECK-COUNT-2: simt.load %{{.*}} align 16 : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: simt.load
// CHECK-COUNT-2: simt.store %{{.*}} align 16 : vector<4xf32>
// columns: a: f32 = [float(i) for i in range(256)], b: f32 = [0.0] * 256
// columns: expect b == a
tile.kernel @columns(%x: !tile.ptr<f32> {tile.align = 16 : i64}, %y: !tile.ptr<f32> {tile.align = 16 : i64}) {
  %sixteen = arith.constant dense<16> : tensor<1x16xi32>
  %i = tile.iota 0 : tensor<16xi32>
  %c = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %r = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns = arith.muli %r, %sixteen : tensor<1x16xi32>
  %down = tile.broadcast %c : tensor<16x1xi32> -> tensor<16x16xi32>
  %along = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %down, %along : tensor<16x16xi32>
  %px = tile.splat %x : tensor<16x16x!tile.ptr<f32>>
  %from = tile.ptr_add %px, %offsets : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %a = tile.load_ptr %from : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %py = tile.splat %y : tensor<16x16x!tile.ptr<f32>>
  %to = tile.ptr_add %py, %offsets : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store_ptr %to, %a : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
}

// A mask that may end anywhere, and addresses of which nothing is known.
// CHECK-LABEL: llvm.func @single(
// CHECK-COUNT-4: simt.load %{{.*}} mask %{{.*}} : i32 align 4
// CHECK-COUNT-4: simt.store %{{.*}} mask %{{.*}} align 4 : i32
// single: scalars = [70]
// single: a: i32 = [i for i in range(128)], b: i32 = [0] * 128
// single: expect b == a[:70] + [0] * 58
tile.kernel @single(%x: !tile.ptr<i32> {tile.align = 16 : i64}, %y: !tile.ptr<i32>, %most: i32) {
  %i = tile.iota 0 : tensor<128xi32>
  %n = tile.splat %most : tensor<128xi32>
  %mask = arith.cmpi slt, %i, %n : tensor<128xi32>
  %px = tile.splat %x : tensor<128x!tile.ptr<i32>>
  %from = tile.ptr_add %px, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %a = tile.load_ptr %from mask %mask : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %py = tile.splat %y : tensor<128x!tile.ptr<i32>>
  %to = tile.ptr_add %py, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store_ptr %to, %a mask %mask : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
}

// Updates: what was loaded as vectors goes to neighbouring lanes first.
// CHECK-LABEL: llvm.func @updates(
// CHECK: simt.load %{{.*}} -> vector<4xf32>
// CHECK: gpu.shuffle
// CHECK: %[[LANE:.*]] = llvm.getelementptr %{{.*}}[%[[T:.*]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
// CHECK: simt.atomic_rmw fadd {{.*}} %[[LANE]]
tile.kernel @updates(%x: !tile.view<128xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  %i = tile.iota 0 : tensor<128xi32>
  %py = tile.splat %y : tensor<128x!tile.ptr<f32>>
  %to = tile.ptr_add %py, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %old = tile.atomic_rmw fadd relaxed device %to, %a : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
}

// Sums of rows, of which a few lanes have several: each lane updates one.
// CHECK-LABEL: llvm.func @sums(
// CHECK: simt.atomic_rmw fadd
// CHECK-NOT: simt.atomic_rmw
// CHECK: llvm.return
tile.kernel @sums(%x: !tile.view<16x256xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<16x256xf32> -> tensor<16x256xf32>
  %r = tile.reduce %a axis 1 : tensor<16x256xf32> -> tensor<16xf32> { ^bb0(%l: f32, %m: f32):
    %n = arith.addf %l, %m : f32
    tile.yield %n : f32
  }
  %i = tile.iota 0 : tensor<16xi32>
  %py = tile.splat %y : tensor<16x!tile.ptr<f32>>
  %to = tile.ptr_add %py, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %old = tile.atomic_rmw fadd relaxed device %to, %r : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}

// Rows that a list names: their number is a multiple of the row's length wherever it counts.
// CHECK-LABEL: llvm.func @gathered(
// CHECK: simt.load %{{.*}} mask %{{.*}} : vector<4xf32> align 16
// gathered: scalars = [8, 1, 8, 16, 16, 1, 16]
// gathered: i: i32 = [(5 * r) % 8 for r in range(8)], a: f32 = [float(i) for i in range(128)], b: f32 = [0.0] * 128
// gathered: expect b == [a[16 * i[k // 16] + k % 16] for k in range(128)]
tile.kernel @gathered(%list: !tile.view<8xi32> {tile.readonly}, %x: !tile.ptr<f32> {tile.align = 16 : i64},
                      %y: !tile.view<8x16xf32> {tile.align = 16 : i64}, %stride: i32 {tile.divisibility = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %never = arith.constant dense<-1> : tensor<8xi32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  %i = tile.iota 0 : tensor<8xi32>
  %rows = tile.load %list[%c0] : !tile.view<8xi32> -> tensor<8xi32>
  %s = tile.splat %stride : tensor<8xi32>
  %at = arith.muli %rows, %s : tensor<8xi32>
  %is = arith.cmpi slt, %i, %eight : tensor<8xi32>
  %by = arith.select %is, %at, %never : tensor<8xi1>, tensor<8xi32>
  %v = tile.make_view %x : !tile.ptr<f32> -> !tile.view<1024x16xf32, strides = [1, 1]>
  %a = tile.load_gather %v[%c0] dim 0 by %by : !tile.view<1024x16xf32, strides = [1, 1]>, tensor<8xi32> -> tensor<8x16xf32>
  tile.store %a, %y[%c0, %c0] : tensor<8x16xf32>, !tile.view<8x16xf32>
}

// The first thread alone runs a loop of scalars, and the other ones wait for it.
// CHECK-LABEL: llvm.func @running_sum(
// CHECK: scf.if
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: simt.load %{{.*}} align 4 : !llvm.ptr<1> -> i32
// CHECK-NEXT: arith.addi
// CHECK-NEXT: simt.store %{{.*}}, %{{.*}} align 4 : i32
// CHECK: gpu.barrier
// CHECK: simt.load
// running_sum: scalars = [8]
// running_sum: a: i32 = [i for i in range(9)], b: i32 = [0] * 128
// running_sum: expect b == [36] * 128
tile.kernel @running_sum(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = arith.addi %n, %c1 : i32
  scf.for %k = %c1 to %end step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %p = tile.ptr_add %x, %k : !tile.ptr<i32>, i32
    %a = tile.load_ptr %p : !tile.ptr<i32> -> i32
    %new = arith.addi %sum, %a : i32
    tile.store_ptr %p, %new : !tile.ptr<i32>, i32
    scf.yield %new : i32
  }
  %last = tile.ptr_add %x, %n : !tile.ptr<i32>, i32
  %b = tile.load_ptr %last : !tile.ptr<i32> -> i32
  %t = tile.splat %b : tensor<128xi32>
  %i = tile.iota 0 : tensor<128xi32>
  %py = tile.splat %y : tensor<128x!tile.ptr<i32>>
  %to = tile.ptr_add %py, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store_ptr %to, %t : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
}

// A kernel of scalars: the first thread does all of it.
// CHECK-LABEL: llvm.func @only_scalars(
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK: scf.if %[[FIRST]]
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: llvm.return
// only_scalars: scalars = [8]
// only_scalars: a: i32 = [i for i in range(9)], b: i32 = [0] * 9
// only_scalars: expect b == [36, 1, 3, 6, 10, 15, 21, 28, 36]
tile.kernel @only_scalars(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = arith.addi %n, %c1 : i32
  %all = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %p = tile.ptr_add %x, %k : !tile.ptr<i32>, i32
    %a = tile.load_ptr %p : !tile.ptr<i32> -> i32
    %q = tile.ptr_add %y, %k : !tile.ptr<i32>, i32
    %new = arith.addi %sum, %a : i32
    tile.store_ptr %q, %new : !tile.ptr<i32>, i32
    scf.yield %new : i32
  }
  tile.store_ptr %y, %all : !tile.ptr<i32>, i32
}

// The assembler shall know how many iterations the first thread runs: it counts with the bits of an address.
// CHECK-LABEL: llvm.func @known_count(
// CHECK: %[[K:.*]] = arith.constant 5 : i64
// CHECK: scf.if
// CHECK: scf.for {{.*}} to %[[K]] step {{.*}} : i64
// CHECK-NEXT: arith.trunci {{.*}} : i64 to i32
// known_count: a: i32 = [3, 1, 4, 1, 5]
// known_count: expect a == [3, 4, 8, 9, 14]
tile.kernel @known_count(%x: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  scf.for %k = %c0 to %c5 step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %p = tile.ptr_add %x, %k : !tile.ptr<i32>, i32
    %a = tile.load_ptr %p : !tile.ptr<i32> -> i32
    %new = arith.addi %sum, %a : i32
    tile.store_ptr %p, %new : !tile.ptr<i32>, i32
    scf.yield %new : i32
  }
}

// A loop that only loads counts as it is written.
// CHECK-LABEL: llvm.func @only_loads(
// CHECK: scf.for {{.*}} : i32
// only_loads: a: i32 = [3, 1, 4, 1, 5], b: i32 = [0]
// only_loads: expect b == [14]
tile.kernel @only_loads(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %all = scf.for %k = %c0 to %c5 step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %p = tile.ptr_add %x, %k : !tile.ptr<i32>, i32
    %a = tile.load_ptr %p : !tile.ptr<i32> -> i32
    %new = arith.addi %sum, %a : i32
    scf.yield %new : i32
  }
  tile.store_ptr %y, %all : !tile.ptr<i32>, i32
}
