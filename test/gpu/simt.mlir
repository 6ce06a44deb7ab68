// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of layouts and operations, and what folds.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --emit-bytecode | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize --cse | FileCheck %s --check-prefix=FOLD

#rows = #simt.layout<rank = 2, register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #simt.layout<rank = 2, register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1]], warp = [[0, 2]]>
// Every thread has a copy; a lane between others has one.
#copies = #simt.layout<rank = 1, register = [[1], [2]], lane = [], warp = []>
#gap = #simt.layout<rank = 1, register = [], lane = [[1], [0], [2]], warp = []>

// CHECK-LABEL: func private @text(
// CHECK-SAME: tensor<8x4xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [1, 0], [2, 0]], warp = {{\[\[}}4, 0]]>>
// CHECK-SAME: tensor<4xf16, #simt.layout<rank = 1, register = {{\[\[}}1], [2]], lane = [], warp = []>>
// CHECK-SAME: tensor<4xf16, #simt.layout<rank = 1, register = [], lane = {{\[\[}}1], [0], [2]], warp = []>>
// CHECK-SAME: tensor<f32, #simt.layout<rank = 0, register = [], lane = [], warp = []>>
func.func private @text(tensor<8x4xf32, #rows>, tensor<4xf16, #copies>, tensor<4xf16, #gap>,
                        tensor<f32, #simt.layout<rank = 0, register = [], lane = [], warp = []>>)

// A size that is no power of two is rounded up.
// CHECK: func private @uneven(tensor<6xf32, #simt.layout<rank = 1, register = {{\[\[}}4]], lane = {{\[\[}}1], [2]], warp = []>>)
func.func private @uneven(tensor<6xf32, #simt.layout<rank = 1, register = [[4]], lane = [[1], [2]], warp = []>>)

// Of two conversions the last counts; one to the layout that a tile has is none.
// FOLD-LABEL: func @folds(
// FOLD-SAME: %[[X:.*]]: tensor<8x4xf32,
func.func @folds(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #columns>, tensor<8x4xf32, #rows>) {
  %same = simt.convert_layout %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #rows>
  // FOLD-NEXT: %[[Y:.*]] = simt.convert_layout %[[X]] :
  %y = simt.convert_layout %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #columns>
  %back = simt.convert_layout %y : tensor<8x4xf32, #columns> -> tensor<8x4xf32, #rows>
  // FOLD-NEXT: return %[[X]], %[[Y]], %[[X]]
  return %same, %y, %back : tensor<8x4xf32, #rows>, tensor<8x4xf32, #columns>, tensor<8x4xf32, #rows>
}

// What nobody reads is not loaded, unless it is volatile.
// FOLD-LABEL: func @unused(
// FOLD-NEXT: simt.load %{{.*}} align 4 volatile
// FOLD-NEXT: simt.load %{{.*}} align 4 volatile
// FOLD-NEXT: return
func.func @unused(%p: !llvm.ptr<1>) {
  %a = simt.load %p align 4 : !llvm.ptr<1> -> f32
  %b = simt.load %p align 4 volatile : !llvm.ptr<1> -> f32
  %c = simt.load %p align 4 volatile : !llvm.ptr<1> -> f32
  return
}

// CHECK-LABEL: func @accesses(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<3>, %[[M:.*]]: i1, %[[O:.*]]: vector<4xf32>
func.func @accesses(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %m: i1, %o: vector<4xf32>) {
  // CHECK: %[[A:.*]] = simt.load %[[P]] align 4 : !llvm.ptr<1> -> f32
  %a = simt.load %p align 4 : !llvm.ptr<1> -> f32
  // CHECK: %[[B:.*]] = simt.load %[[P]] mask %[[M]] other %[[O]] : vector<4xf32> align 16 cache streaming evict first : !llvm.ptr<1> -> vector<4xf32>
  %b = simt.load %p mask %m other %o : vector<4xf32> align 16 cache streaming evict first : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: simt.load %[[S]] mask %[[M]] align 2 volatile : !llvm.ptr<3> -> f16
  %c = simt.load %s mask %m align 2 volatile : !llvm.ptr<3> -> f16
  // CHECK: simt.store %[[A]], %[[P]] mask %[[M]] align 4 volatile cache write_back : f32, !llvm.ptr<1>
  simt.store %a, %p mask %m align 4 volatile cache write_back : f32, !llvm.ptr<1>
  // CHECK: simt.store %[[B]], %[[S]] align 16 : vector<4xf32>, !llvm.ptr<3>
  simt.store %b, %s align 16 : vector<4xf32>, !llvm.ptr<3>
  return
}

// CHECK-LABEL: func @products(
func.func @products(%a: vector<2xf16>, %b: vector<2xf16>, %c: f32) -> (f32, f32, f32, f32) {
  // CHECK: %[[D:.*]]:4 = simt.mma "mma.16x8x8" (%{{.*}}, %{{.*}}) by (%{{.*}}) plus (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {note} : vector<2xf16>, vector<2xf16>, f32
  %d:4 = simt.mma "mma.16x8x8" (%a, %a) by (%b) plus (%c, %c, %c, %c) {note} : vector<2xf16>, vector<2xf16>, f32
  // CHECK-NEXT: return %[[D]]#0, %[[D]]#1, %[[D]]#2, %[[D]]#3
  return %d#0, %d#1, %d#2, %d#3 : f32, f32, f32, f32
}

// Products that go on by themselves keep their order.
// FOLD-LABEL: llvm.func @asynchronous(
// CHECK-LABEL: llvm.func @asynchronous(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<3>, %[[C:.*]]: f32
llvm.func @asynchronous(%p: !llvm.ptr<3>, %c: f32) {
  // FOLD: simt.publish
  // CHECK: simt.publish
  simt.publish
  // CHECK: %[[D:.*]]:2 = simt.mma_async "row" %[[P]] : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32], bytes = 8192> by %[[P]] as #simt.matrix<row = 64, group = 512, panel = 512, summed = false, steps = [0, 1024], bytes = 4096> plus (%[[C]], %[[C]]) : f32 at !llvm.ptr<3>
  // FOLD: simt.mma_async
  %d:2 = simt.mma_async "row" %p : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32], bytes = 8192> by %p as #simt.matrix<row = 64, group = 512, panel = 512, summed = false, steps = [0, 1024], bytes = 4096> plus (%c, %c) : f32 at !llvm.ptr<3>
  // FOLD: simt.commit_products
  // CHECK: simt.commit_products
  simt.commit_products
  // FOLD: simt.wait_products
  // CHECK: simt.wait_products but 0 (%[[D]]#0, %[[D]]#1) : f32
  %e:2 = simt.wait_products but 0 (%d#0, %d#1) : f32
  llvm.return
}

// What a target finishes: bounds of accesses, scopes, memories of barriers, numbers that lanes share, tile moves.
// CHECK-LABEL: func @finished(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<3>, %[[M:.*]]: i1, %[[N:.*]]: i64, %[[X:.*]]: i32)
// CHECK-SAME: swizzle = #simt.swizzle<row = 128, chunk = 16, align = 1024, across = true>
func.func @finished(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %m: i1, %n: i64, %x: i32)
    attributes {swizzle = #simt.swizzle<row = 128, chunk = 16, align = 1024, across = true>, plain = #simt.swizzle<row = 64, chunk = 16, align = 16>} {
  // CHECK: %[[A:.*]] = simt.load %[[P]] in %[[P]][%[[N]]] of %[[N]] : !llvm.ptr<1> mask %[[M]] align 4 : !llvm.ptr<1> -> f32
  %a = simt.load %p in %p[%n] of %n : !llvm.ptr<1> mask %m align 4 : !llvm.ptr<1> -> f32
  // CHECK: simt.store %[[A]], %[[P]] in %[[P]][%[[N]]] of %[[N]] : !llvm.ptr<1> align 4 : f32, !llvm.ptr<1>
  simt.store %a, %p in %p[%n] of %n : !llvm.ptr<1> align 4 : f32, !llvm.ptr<1>
  // CHECK: simt.atomic_rmw uinc_wrap acq_rel instance %[[P]], %[[X]] : !llvm.ptr<1>, i32
  %b = simt.atomic_rmw uinc_wrap acq_rel instance %p, %x : !llvm.ptr<1>, i32
  // CHECK: simt.atomic_cas acquire system %[[P]], %[[X]], %[[X]] : !llvm.ptr<1>, i32
  %c = simt.atomic_cas acquire system %p, %x, %x : !llvm.ptr<1>, i32
  // CHECK: simt.fence release device
  simt.fence release device
  // CHECK: simt.barrier shared{{$}}
  simt.barrier shared
  // CHECK: simt.barrier all
  simt.barrier all
  // CHECK: simt.uniform %[[X]] : i32
  %d = simt.uniform %x : i32
  // CHECK: %[[W:.*]]:2 = simt.load_matrix "rows" %[[S]] by 16 lanes of 16 : !llvm.ptr<3> -> i32, i32
  %w:2 = simt.load_matrix "rows" %s by 16 lanes of 16 : !llvm.ptr<3> -> i32, i32
  // CHECK: simt.store_matrix "rows" %[[W]]#0, %[[W]]#1 to %[[S]] by 16 lanes of 16 : !llvm.ptr<3>, i32, i32
  simt.store_matrix "rows" %w#0, %w#1 to %s by 16 lanes of 16 : !llvm.ptr<3>, i32, i32
  return
}
