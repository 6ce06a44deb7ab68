// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of one thread: vectors where the layout and what is known allow them, masks where a block may reach
// beyond the view, an edge path where a vector may reach half beyond it.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s

#v = #simt.layout<rank = 1, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#one = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8]], warp = []>

// Parameters: address, size and stride of each view, then the grid. The size is a multiple of four, and so is
// where each thread begins: a vector lies inside as a whole or outside. What a static view has is known.
// CHECK-LABEL: llvm.func @masks(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[SIZE:.*]]: i64, %{{.*}}: i64, %[[Y:[^:]*]]: !llvm.ptr<1>,
// CHECK-SAME: simt.block = #simt.thread_block<threads = 128, shared_bytes = 0,
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x
// CHECK-DAG: %[[THREAD:.*]] = arith.index_castui %[[T]] : index to i32
// CHECK: %[[OWN:.*]] = arith.shli %[[THREAD]], %c2_i32
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c512_i64 : i64
// CHECK: %[[LEFT:.*]] = arith.subi %[[SIZE]], %[[FIRST]]
// CHECK: %[[REST:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[BESIDE:.*]] = arith.subi %[[REST]], %[[OWN]] : i32
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[X]]
// CHECK: %[[MASK:.*]] = arith.cmpi sgt, %[[BESIDE]], %c0_i32 : i32
// CHECK: simt.load %[[AT]] mask %[[MASK]] other %{{.*}} : vector<4xf32> align 16 : !llvm.ptr<1> -> vector<4xf32>
// CHECK: simt.store %{{.*}}, %{{.*}} mask %{{.*}} align 16 : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: simt.store
tile.kernel @masks(%x: !tile.view<?xf32> {tile.readonly, tile.align = 16, tile.size_div = array<i64: 4>},
                   %y: !tile.view<512xf32> {tile.align = 16}) attributes {warps = 4 : i64} {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<512xf32, #v>
  tile.store %a, %y[%i] : tensor<512xf32, #v>, !tile.view<512xf32>
}

// Nothing is known of the size: whole blocks move vectors without a mask, the last one elements with one.
// CHECK-LABEL: llvm.func @edge(
// CHECK: %[[WHOLE:.*]] = arith.cmpi sge, %{{.*}}, %c512_i64 : i64
// CHECK: scf.if %[[WHOLE]] -> (f32, f32, f32, f32)
// CHECK-NEXT: simt.load %{{.*}} align 16 : !llvm.ptr<1> -> vector<4xf32>
// CHECK: else
// CHECK-COUNT-4: simt.load %{{.*}} mask %{{.*}} other %{{.*}} : f32 align 4 : !llvm.ptr<1> -> f32
// CHECK: scf.if
// CHECK: simt.store %{{.*}}, %{{[^ ]*}} align 16 : vector<4xf32>, !llvm.ptr<1>
// CHECK: else
// CHECK-COUNT-4: simt.store %{{.*}}, %{{.*}} mask %{{.*}} align 4 : f32, !llvm.ptr<1>
tile.kernel @edge(%x: !tile.view<?xf32> {tile.readonly, tile.align = 16}, %y: !tile.view<?xf32> {tile.noalias, tile.align = 16})
    attributes {warps = 4 : i64} {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<512xf32, #v>
  tile.store %a, %y[%i] : tensor<512xf32, #v>, !tile.view<?xf32>
}

// What is inside whatever happens has no mask. Of copies one is written: that of the first half of the first warp.
// Hints and volatility stay.
// CHECK-LABEL: llvm.func @copies(
// CHECK-DAG: %[[OTHER:.*]] = arith.andi %{{.*}}, %c112_i32 : i32
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[OTHER]], %c0_i32 : i32
// CHECK: simt.load %{{[^ ]*}} align 4 volatile : !llvm.ptr<1> -> f32
// CHECK: simt.store %{{.*}}, %{{.*}} mask %[[FIRST]] align 4 cache streaming : f32, !llvm.ptr<1>
tile.kernel @copies(%x: !tile.view<16xf32> {tile.readonly}, %y: !tile.view<16xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] volatile : !tile.view<16xf32> -> tensor<16xf32, #one>
  tile.store %a, %y[%c0] cache streaming : tensor<16xf32, #one>, !tile.view<16xf32>
}

// Combining stores are atomic, each element once.
// CHECK-LABEL: llvm.func @combine(
// CHECK: scf.if
// CHECK-NEXT: simt.atomic_rmw fadd monotonic device %{{.*}}, %{{.*}} : !llvm.ptr<1>, f32
tile.kernel @combine(%x: !tile.view<16xf32> {tile.readonly}, %y: !tile.view<16xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<16xf32> -> tensor<16xf32, #one>
  tile.store %a, %y[%c0] combine add : tensor<16xf32, #one>, !tile.view<16xf32>
}

// One bit added to one bit.
// CHECK-LABEL: llvm.func @bits(
// CHECK: simt.atomic_rmw _xor {{.*}} : !llvm.ptr<1>, i8
tile.kernel @bits(%x: !tile.view<16xi1> {tile.readonly}, %y: !tile.view<16xi1>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<16xi1> -> tensor<16xi1, #one>
  tile.store %a, %y[%c0] combine add : tensor<16xi1, #one>, !tile.view<16xi1>
}

// Each thread combines its elements, where their indices say.
// CHECK-LABEL: llvm.func @scattered(
// CHECK: scf.if
// CHECK-NEXT: simt.atomic_rmw fadd monotonic device %{{.*}}, %{{.*}} : !llvm.ptr<1>, f32
tile.kernel @scattered(%x: !tile.view<16xf32> {tile.readonly}, %k: !tile.view<16xi32> {tile.readonly}, %y: !tile.view<?xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<16xf32> -> tensor<16xf32, #one>
  %i = tile.load %k[%c0] : !tile.view<16xi32> -> tensor<16xi32, #one>
  tile.store_scatter %a, %y[] dim 0 by %i combine add : tensor<16xf32, #one>, !tile.view<?xf32>, tensor<16xi32, #one>
}

// A float of 16 bits is added with its word, whose other element gets -0; alone where the view may end within a word.
// CHECK-LABEL: llvm.func @halves(
// CHECK: %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f16
// CHECK: %[[LATE:.*]] = arith.cmpi ne, %[[BIT:.*]], %{{.*}} : i64
// CHECK: %[[LOW:.*]] = arith.select %[[LATE]], %[[NOTHING]], %[[VALUE:.*]] : f16
// CHECK: %[[HIGH:.*]] = arith.select %[[LATE]], %[[VALUE]], %[[NOTHING]] : f16
// CHECK: simt.atomic_rmw fadd monotonic device %{{.*}}, %{{.*}} : !llvm.ptr<1>, vector<2xf16>
tile.kernel @halves(%x: !tile.view<16xf16> {tile.readonly}, %k: !tile.view<16xi32> {tile.readonly}, %y: !tile.view<30xf16> {tile.facts = {align = 4 : i64}}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<16xf16> -> tensor<16xf16, #one>
  %i = tile.load %k[%c0] : !tile.view<16xi32> -> tensor<16xi32, #one>
  tile.store_scatter %a, %y[] dim 0 by %i combine add : tensor<16xf16, #one>, !tile.view<30xf16>, tensor<16xi32, #one>
}
// CHECK-LABEL: llvm.func @odd(
// CHECK: simt.atomic_rmw fadd monotonic device %{{.*}}, %{{.*}} : !llvm.ptr<1>, f16
tile.kernel @odd(%x: !tile.view<16xf16> {tile.readonly}, %k: !tile.view<16xi32> {tile.readonly}, %y: !tile.view<31xf16> {tile.facts = {align = 4 : i64}}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<16xf16> -> tensor<16xf16, #one>
  %i = tile.load %k[%c0] : !tile.view<16xi32> -> tensor<16xi32, #one>
  tile.store_scatter %a, %y[] dim 0 by %i combine add : tensor<16xf16, #one>, !tile.view<31xf16>, tensor<16xi32, #one>
}

// Products are exchanged for what they were made of until that was still there.
// CHECK-LABEL: llvm.func @multiplied(
// CHECK: scf.while
// CHECK: arith.mulf
// CHECK: simt.atomic_cas monotonic device {{.*}} : !llvm.ptr<1>, i32
// CHECK: scf.condition
tile.kernel @multiplied(%x: !tile.view<16xf32> {tile.readonly}, %k: !tile.view<16xi32> {tile.readonly}, %y: !tile.view<?xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<16xf32> -> tensor<16xf32, #one>
  %i = tile.load %k[%c0] : !tile.view<16xi32> -> tensor<16xi32, #one>
  tile.store_scatter %a, %y[] dim 0 by %i combine mul : tensor<16xf32, #one>, !tile.view<?xf32>, tensor<16xi32, #one>
}

// At most 5 elements are inside, so that only the first register of each thread can hold one.
// CHECK-LABEL: llvm.func @few(
// CHECK: simt.load %{{.*}} mask %{{.*}} : f32 align 4
// CHECK-NOT: simt.load
// CHECK: simt.store %{{.*}}, %{{.*}} mask %{{.*}} align 4 : f32
// CHECK-NOT: simt.store
// CHECK: llvm.return
#rows = #simt.layout<rank = 1, register = [[128], [256]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
tile.kernel @few(%x: !tile.ptr<f32>) attributes {warps = 4 : i64} {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %left = arith.subi %c5, %i : index
  %size = arith.maxsi %left, %c0 : index
  %v = tile.make_view %x sizes[%size] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1]>
  %a = tile.load %v at [%c0] : !tile.view<?xf32, strides = [1]> -> tensor<512xf32, #rows>
  tile.store %a, %v at [%c0] : tensor<512xf32, #rows>, !tile.view<?xf32, strides = [1]>
}
