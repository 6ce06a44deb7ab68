// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each constraint of the dialect, by its number.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// layout (C1)
// expected-error@+1 {{expected 2 numbers, found 1}}
func.func private @layout_c1(tensor<4x4xf32, #simt.layout<rank = 2, register = [[1]], lane = [], warp = []>>)

// -----

// layout (C1)
// expected-error@+1 {{expected numbers between 0 and 2^30, found -1}}
func.func private @layout_c1(tensor<4xf32, #simt.layout<rank = 1, register = [[-1]], lane = [], warp = []>>)

// -----

// layout (C1)
// expected-error@+1 {{expected a rank between 0 and 16, found 17}}
func.func private @layout_c1(tensor<4xf32, #simt.layout<rank = 17, register = [], lane = [], warp = []>>)

// -----

// layout (C2)
// expected-error@+1 {{expected bases of registers that are not zero}}
func.func private @layout_c2(tensor<4xf32, #simt.layout<rank = 1, register = [[0]], lane = [[1], [2]], warp = []>>)

// -----

// layout (C3)
// expected-error@+1 {{expected a last basis that is not zero}}
func.func private @layout_c3(tensor<4xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2], [0]], warp = []>>)

// -----

// layout (C4)
// expected-error@+1 {{elements of the tile have no place in the layout}}
func.func private @layout_c4(tensor<8xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2]], warp = []>>)

// -----

// layout (C4)
// expected-error@+1 {{a basis of the layout has 4 along dimension 0 of size 4}}
func.func private @layout_c4(tensor<4xf32, #simt.layout<rank = 1, register = [[4]], lane = [[1], [2]], warp = []>>)

// -----

// layout (C4)
// expected-error@+1 {{expected a layout for 2 dimensions, found one for 1}}
func.func private @layout_c4(tensor<4x4xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2]], warp = []>>)

// -----

// layout (C4)
// expected-error@+1 {{a layout is for tiles of static sizes}}
func.func private @layout_c4(tensor<?xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2]], warp = []>>)

// -----

#l = #simt.layout<rank = 1, register = [], lane = [[1], [2]], warp = []>
func.func @convert_layout_c1(%x: tensor<4xf32, #l>) {
  // expected-error@+1 {{expected source and result of one shape and element type, found 'tensor<4xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2]], warp = []>>' and 'tensor<4xi32>'}}
  %y = simt.convert_layout %x : tensor<4xf32, #l> -> tensor<4xi32>
  return
}

// -----

func.func @load_c1(%p: !llvm.ptr<1>, %o: f32) {
  // expected-error@+1 {{has 'other' without a mask}}
  %v = simt.load %p other %o : f32 align 4 : !llvm.ptr<1> -> f32
  return
}

// -----

func.func @load_c1(%p: !llvm.ptr<1>, %m: i1, %o: f32) {
  // expected-error@+1 {{expected 'other' of type 'vector<4xf32>', found 'f32'}}
  %v = simt.load %p mask %m other %o : f32 align 4 : !llvm.ptr<1> -> vector<4xf32>
  return
}

// -----

func.func @load_c2(%p: !llvm.ptr<1>) {
  // expected-error@+1 {{expected an alignment that is a power of two, found 12}}
  %v = simt.load %p align 12 : !llvm.ptr<1> -> f32
  return
}

// -----

func.func @store_c1(%p: !llvm.ptr<1>, %v: f32) {
  // expected-error@+1 {{expected an alignment that is a power of two, found 0}}
  simt.store %v, %p align 0 : f32, !llvm.ptr<1>
  return
}

// -----

func.func @mma_c1(%a: f32) {
  // expected-error@+1 {{expected results of the accumulator's types}}
  %d = "simt.mma"(%a, %a, %a) <{row = "r", operandSegmentSizes = array<i32: 1, 1, 1>}> : (f32, f32, f32) -> i32
  return
}

// -----

// mma_async (C2)
llvm.func @mma_async_c2(%p: !llvm.ptr<3>, %c: f32) {
  // expected-error@+1 {{expected factors of as many steps, found 2 and 1}}
  %d = simt.mma_async "row" %p : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32], bytes = 8192> by %p as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192> plus (%c) : f32 at !llvm.ptr<3>
  llvm.return
}

// -----

// matrix
llvm.func @matrix(%p: !llvm.ptr<3>, %c: f32) {
  // expected-error@+1 {{expected rows of a power of two bytes, found 96}}
  %d = simt.mma_async "row" %p : !llvm.ptr<3> as #simt.matrix<row = 96, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192> by %p as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192> plus (%c) : f32 at !llvm.ptr<3>
  llvm.return
}

// -----

// matrix
llvm.func @matrix(%p: !llvm.ptr<3>, %c: f32) {
  // expected-error@+1 {{expected steps of multiples of 16 bytes, found 8}}
  %d = simt.mma_async "row" %p : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [8], bytes = 8192> by %p as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192> plus (%c) : f32 at !llvm.ptr<3>
  llvm.return
}

// -----

// load (C3)
func.func @load_c3(%p: !llvm.ptr<1>, %q: !llvm.ptr, %n: i64) {
  // expected-error@+1 {{expected a base of type '!llvm.ptr<1>', found '!llvm.ptr'}}
  %a = simt.load %p in %q[%n] of %n : !llvm.ptr align 4 : !llvm.ptr<1> -> f32
  return
}

// -----

// store (C2)
func.func @store_c2(%p: !llvm.ptr<1>, %q: !llvm.ptr, %n: i64, %x: f32) {
  // expected-error@+1 {{expected a base of type '!llvm.ptr<1>', found '!llvm.ptr'}}
  simt.store %x, %p in %q[%n] of %n : !llvm.ptr align 4 : f32, !llvm.ptr<1>
  return
}

// -----

// swizzle (C1)
// expected-error@+1 {{expected powers of two, found 96}}
func.func private @swizzle_c1() attributes {a = #simt.swizzle<row = 96, chunk = 16, align = 1024>}

// -----

// swizzle (C1)
// expected-error@+1 {{expected chunks of less than the 16 bytes of a row, found 16}}
func.func private @swizzle_c1() attributes {a = #simt.swizzle<row = 16, chunk = 16, align = 1024>}

// -----

// slot_barriers (C1)
// expected-error@+1 {{expected a place that is a multiple of 8, found 12}}
func.func private @slot_barriers_c1() attributes {a = #simt.slot_barriers<place = 12>}

// -----

// slot_barriers (C1)
// expected-error@+1 {{expected a place that is a multiple of 8, found -8}}
func.func private @slot_barriers_c1() attributes {a = #simt.slot_barriers<place = -8>}

// -----

func.func @copy_bulk_c1(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %n: i64, %m: i1) {
  // expected-error@+1 {{expected as many coordinates, sizes and strides as the box has dimensions, and 'along' to be one of them; found 1, 2, 2, 2 and 1}}
  simt.copy_bulk %p[%n] sizes(%n, %n) strides(%n, %n) box [8, 64] of bf16 along 1 by #simt.swizzle<row = 128, chunk = 16, align = 128>
    to %s barrier %s mask %m : !llvm.ptr<1>, !llvm.ptr<3>
  return
}

// -----

func.func @copy_bulk_c2(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %n: i64, %m: i1) {
  // expected-error@+1 {{expected rows of a power of two of bytes, at least 16, found 96}}
  simt.copy_bulk %p[%n, %n] sizes(%n, %n) strides(%n, %n) box [8, 48] of bf16 along 1 by #simt.swizzle<row = 128, chunk = 16, align = 128>
    to %s barrier %s mask %m : !llvm.ptr<1>, !llvm.ptr<3>
  return
}

// -----

func.func @copy_in_cluster_c1(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %n: i64, %m: i1) {
  // expected-error@+1 {{expected coordinates, sizes and strides for the 2 dimensions of the box, and 'along' to be one of them}}
  simt.copy_in_cluster 2 %p[%n] sizes(%n, %n) strides(%n, %n) box [8, 64] of bf16 along 1 by #simt.swizzle<row = 128, chunk = 16, align = 128>
    to %s barrier %s mask %m : !llvm.ptr<1>, !llvm.ptr<3>
  return
}

// -----

func.func @copy_in_cluster_c2(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %n: i64, %m: i1) {
  // expected-error@+1 {{expected rows of a power of two of bytes, at least 16, found 96}}
  simt.copy_in_cluster 2 %p[%n, %n] sizes(%n, %n) strides(%n, %n) box [8, 48] of bf16 along 1 by #simt.swizzle<row = 128, chunk = 16, align = 128>
    to %s barrier %s mask %m : !llvm.ptr<1>, !llvm.ptr<3>
  return
}

// -----

func.func @copy_in_cluster_c3(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %n: i64, %m: i1) {
  // expected-error@+1 {{expected equal parts, of whole pieces of rows, for at least 2 blocks, found 3}}
  simt.copy_in_cluster 3 %p[%n, %n] sizes(%n, %n) strides(%n, %n) box [8, 64] of bf16 along 1 by #simt.swizzle<row = 128, chunk = 16, align = 128>
    to %s barrier %s mask %m : !llvm.ptr<1>, !llvm.ptr<3>
  return
}

// -----

// thread_block (C1)
// expected-error@+1 {{expected at least one thread, and numbers of lanes and bytes that are not negative, found 0, 0 and 16}}
func.func private @thread_block_c1() attributes {a = #simt.thread_block<threads = 0, shared_bytes = 16>}

// -----

// thread_block (C2)
// expected-error@+1 {{expected types of parameters, found [1]}}
func.func private @thread_block_c2() attributes {a = #simt.thread_block<threads = 32, shared_bytes = 0, parameters = [1]>}

// -----

// expected-error@+1 {{expected 'simt.block' to be '#simt.thread_block', found 32 : i64}}
func.func private @block() attributes {simt.block = 32 : i64}

// -----

// fence (C1)
func.func @fence_c1() {
  // expected-error@+1 {{expected the order acquire, release or acq_rel, found monotonic}}
  simt.fence monotonic device
  return
}
