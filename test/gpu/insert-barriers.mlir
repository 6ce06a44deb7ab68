// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers stand in the kernel before it becomes code of a thread: between accesses that may meet, once where one place
// serves several, before a loop where its iterations need none. Removing any one that parts accesses to shared memory makes
// the verifier object.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers))' --mlir-print-local-scope -o %t.barriers
// RUN: FileCheck %s < %t.barriers
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers))' -o %t.kernels
// RUN: %python %S/mutations.py kiln-opt --only=scratch < %t.kernels

#l = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#s = #simt.layout<rank = 0, register = [], lane = [], warp = []>
#turned = #simt.layout<rank = 1, register = [], lane = [[4], [8], [16], [32], [64]], warp = [[1], [2]]>

// The second reduction borrows bytes beside those of the first one, the third one those of the first one again: the threads
// have waited in between. An iteration's first reduction meets no bytes of the last one of the iteration before.
// CHECK-LABEL: tile.kernel @scratch_reductions(
// CHECK-SAME: shared_bytes = 32
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK: simt.decided = {scratch = array<i64: 0, 16>}
// CHECK: simt.decided = {scratch = array<i64: 16, 16>}
// CHECK-NOT: gpu.barrier
// CHECK: tile.store
tile.kernel @scratch_reductions(%x: !tile.view<?x128xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = tile.load %x[%i, %c0] : !tile.view<?x128xf32> -> tensor<128xf32, #l>
    %m = tile.reduce %a axis 0 : tensor<128xf32, #l> -> tensor<f32, #s> { ^bb0(%p: f32, %q: f32):
      %r = arith.maximumf %p, %q : f32
      tile.yield %r : f32
    }
    %b = arith.mulf %a, %a : tensor<128xf32, #l>
    %n = tile.reduce %b axis 0 : tensor<128xf32, #l> -> tensor<f32, #s> { ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      tile.yield %r : f32
    }
    %o = arith.addf %m, %n : tensor<f32, #s>
    %v = tensor.extract %o[] : tensor<f32, #s>
    %w = tile.splat %v : tensor<128xf32, #l>
    tile.store %w, %y[%i] : tensor<128xf32, #l>, !tile.view<?xf32>
  }
}

// Stores that combine alike may come in either order. Those of another combination keep theirs, and so do counters, as each
// stops at its own limit.
// CHECK-LABEL: tile.kernel @combined(
// CHECK: tile.store {{.*}} combine add
// CHECK-NEXT: tile.store {{.*}} combine add
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store {{.*}} combine max
// CHECK-NEXT: tile.store {{.*}} combine inc
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store {{.*}} combine inc
tile.kernel @combined(%y: !tile.view<?xf32> {tile.noalias}, %z: !tile.view<?xi32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<1.0> : tensor<128xf32, #l>
  %n = arith.constant dense<7> : tensor<128xi32, #l>
  tile.store %x, %y[%c0] combine add : tensor<128xf32, #l>, !tile.view<?xf32>
  tile.store %x, %y[%c0] combine add : tensor<128xf32, #l>, !tile.view<?xf32>
  tile.store %x, %y[%c0] combine max : tensor<128xf32, #l>, !tile.view<?xf32>
  tile.store %n, %z[%c0] combine inc : tensor<128xi32, #l>, !tile.view<?xi32>
  tile.store %n, %z[%c0] combine inc : tensor<128xi32, #l>, !tile.view<?xi32>
}

// One reduction in a loop: each iteration writes what the one before may still read. The barrier at its end serves what
// comes behind the loop, too.
// CHECK-LABEL: tile.kernel @scratch_again(
// CHECK-NOT: gpu.barrier
// CHECK: tile.reduce
// CHECK: gpu.barrier
// CHECK-NEXT: scf.yield
// CHECK-NOT: gpu.barrier
tile.kernel @scratch_again(%x: !tile.view<?x128xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant dense<0.0> : tensor<f32, #s>
  %sum = scf.for %i = %c0 to %c9 step %c1 iter_args(%o = %zero) -> tensor<f32, #s> {
    %a = tile.load %x[%i, %c0] : !tile.view<?x128xf32> -> tensor<128xf32, #l>
    %m = tile.reduce %a axis 0 : tensor<128xf32, #l> -> tensor<f32, #s> { ^bb0(%p: f32, %q: f32):
      %r = arith.maximumf %p, %q : f32
      tile.yield %r : f32
    }
    %n = arith.addf %m, %o : tensor<f32, #s>
    scf.yield %n : tensor<f32, #s>
  }
  %v = tensor.extract %sum[] : tensor<f32, #s>
  %w = tile.splat %v : tensor<128xf32, #l>
  %z = simt.convert_layout %w : tensor<128xf32, #l> -> tensor<128xf32, #turned>
  tile.store %z, %y[%c0] : tensor<128xf32, #turned>, !tile.view<?xf32>
}

// Two changes of layout through the memory of the block: the second one writes beside what the first one reads. In a loop
// the first one's bytes are free again, as all threads have waited in the second one.
// CHECK-LABEL: tile.kernel @scratch_exchange(
// CHECK: simt.convert_layout {{.*}}simt.decided = {scratch = array<i64: 0, 512>}
// CHECK-NOT: gpu.barrier
// CHECK: simt.convert_layout {{.*}}simt.decided = {scratch = array<i64: 512, 512>}
// CHECK-NOT: gpu.barrier
tile.kernel @scratch_exchange(%x: !tile.view<?x128xf32> {tile.readonly}, %y: !tile.view<?x128xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = tile.load %x[%i, %c0] : !tile.view<?x128xf32> -> tensor<128xf32, #l>
    %b = simt.convert_layout %a : tensor<128xf32, #l> -> tensor<128xf32, #turned>
    %c = math.exp %b : tensor<128xf32, #turned>
    %d = simt.convert_layout %c : tensor<128xf32, #turned> -> tensor<128xf32, #l>
    tile.store %d, %y[%i, %c0] : tensor<128xf32, #l>, !tile.view<?x128xf32>
  }
}

// What a loop reads was written before it: threads wait once, before the loop.
// CHECK-LABEL: tile.kernel @before_loop(
// CHECK: tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: gpu.barrier
tile.kernel @before_loop(%x: !tile.view<?x128xf32>, %y: !tile.view<?xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant dense<0.0> : tensor<128xf32, #l>
  tile.store %zero, %x[%c0, %c0] : tensor<128xf32, #l>, !tile.view<?x128xf32>
  %sum = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %zero) -> tensor<128xf32, #l> {
    %a = tile.load %x[%i, %c0] : !tile.view<?x128xf32> -> tensor<128xf32, #l>
    %t = arith.addf %a, %s : tensor<128xf32, #l>
    scf.yield %t : tensor<128xf32, #l>
  }
  tile.store %sum, %y[%c0] : tensor<128xf32, #l>, !tile.view<?xf32>
}

// The iterations need a barrier for what they write themselves: it serves what was written before the loop, too.
// CHECK-LABEL: tile.kernel @in_loop(
// CHECK: tile.store
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK: tile.store
// CHECK-NOT: gpu.barrier
tile.kernel @in_loop(%x: !tile.view<?xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant dense<0.0> : tensor<128xf32, #l>
  tile.store %zero, %x at [%c0] : tensor<128xf32, #l>, !tile.view<?xf32>
  scf.for %i = %c0 to %c9 step %c1 {
    %a = tile.load %x at [%i] : !tile.view<?xf32> -> tensor<128xf32, #l>
    tile.store %a, %x at [%c1] : tensor<128xf32, #l>, !tile.view<?xf32>
  }
}

// A reduction of the loop parts the store of one iteration from the load of the next one already.
// CHECK-LABEL: tile.kernel @serves_both(
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: tile.load
// CHECK-NEXT: gpu.barrier
// CHECK: tile.store
// CHECK-NEXT: tile.reduce
// CHECK-NOT: gpu.barrier
tile.kernel @serves_both(%x: !tile.view<?xf32>, %y: !tile.view<?xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant dense<0.0> : tensor<f32, #s>
  %sum = scf.for %i = %c0 to %c9 step %c1 iter_args(%o = %zero) -> tensor<f32, #s> {
    %a = tile.load %x at [%i] : !tile.view<?xf32> -> tensor<128xf32, #l>
    tile.store %a, %x at [%c1] : tensor<128xf32, #l>, !tile.view<?xf32>
    %m = tile.reduce %a axis 0 : tensor<128xf32, #l> -> tensor<f32, #s> { ^bb0(%p: f32, %q: f32):
      %r = arith.maximumf %p, %q : f32
      tile.yield %r : f32
    }
    %n = arith.addf %m, %o : tensor<f32, #s>
    scf.yield %n : tensor<f32, #s>
  }
  %v = tensor.extract %sum[] : tensor<f32, #s>
  %w = tile.splat %v : tensor<128xf32, #l>
  tile.store %w, %y[%c0] : tensor<128xf32, #l>, !tile.view<?xf32>
}

// Under a condition threads wait only if it holds; behind it what either way did is pending.
// CHECK-LABEL: tile.kernel @condition(
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
// CHECK: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store
tile.kernel @condition(%x: !tile.view<?xf32>, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.load %x at [%n] : !tile.view<?xf32> -> tensor<128xf32, #l>
  %is = arith.cmpi sgt, %n, %c0 : index
  scf.if %is {
    tile.store %a, %x at [%c1] : tensor<128xf32, #l>, !tile.view<?xf32>
  }
  tile.store %a, %x at [%c0] : tensor<128xf32, #l>, !tile.view<?xf32>
}

// What one thread loads another one stores through another parameter. The threads of an instance take turns where the
// parameters may have an alias, unless the loop says that its iterations are independent.
// CHECK-LABEL: tile.kernel @through_others(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: independent = true
tile.kernel @through_others(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32, #l>
    %b = arith.negf %a : tensor<128xf32, #l>
    tile.store %b, %y[%i] : tensor<128xf32, #l>, !tile.view<?xf32>
  }
  gpu.barrier
  scf.for %i = %c0 to %c9 step %c1 {
    %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32, #l>
    %b = arith.negf %a : tensor<128xf32, #l>
    tile.store %b, %y[%i] : tensor<128xf32, #l>, !tile.view<?xf32>
  } {tile.loop = #tile.loop_hints<independent = true>}
}

// The first thread runs a loop of scalars whose results nothing uses: its iterations need no barriers, nor does the store of
// a scalar behind it. What other threads load they wait for.
// CHECK-LABEL: tile.kernel @loop_of_scalars(
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK: tile.store_ptr
// CHECK: } {simt.decided = {first_thread}}
// CHECK-NEXT: tile.store_ptr
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.load_ptr
tile.kernel @loop_of_scalars(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  scf.for %i = %c1 to %c9 step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %p = tile.ptr_add %x, %i : !tile.ptr<i32>, i32
    %a = tile.load_ptr %p : !tile.ptr<i32> -> i32
    %new = arith.addi %sum, %a : i32
    tile.store_ptr %p, %new : !tile.ptr<i32>, i32
    scf.yield %new : i32
  }
  tile.store_ptr %y, %c9 : !tile.ptr<i32>, i32
  %b = tile.load_ptr %x : !tile.ptr<i32> -> i32
  %t = tile.splat %b : tensor<128xi32, #l>
  %i = tile.iota 0 : tensor<128xi32, #l>
  %py = tile.splat %y : tensor<128x!tile.ptr<i32>, #l>
  %to = tile.ptr_add %py, %i : tensor<128x!tile.ptr<i32>, #l>, tensor<128xi32, #l>
  tile.store_ptr %to, %t : tensor<128x!tile.ptr<i32>, #l>, tensor<128xi32, #l>
}

// All threads run a loop whose result they use, or that may wait for what another instance stores.
// CHECK-LABEL: tile.kernel @loop_for_all(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: tile.load_ptr
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store_ptr
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: tile.load_ptr {{.*}} volatile
// CHECK: scf.while
// CHECK: gpu.barrier
// CHECK: tile.load_ptr
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store_ptr
tile.kernel @loop_for_all(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %all = scf.for %i = %c1 to %c9 step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %p = tile.ptr_add %x, %i : !tile.ptr<i32>, i32
    %a = tile.load_ptr %p : !tile.ptr<i32> -> i32
    %new = arith.addi %sum, %a : i32
    tile.store_ptr %p, %new : !tile.ptr<i32>, i32
    scf.yield %new : i32
  }
  scf.for %i = %c1 to %c9 step %c1 : i32 {
    %a = tile.load_ptr %x volatile : !tile.ptr<i32> -> i32
    tile.store_ptr %x, %a : !tile.ptr<i32>, i32
  }
  scf.while : () -> () {
    %a = tile.load_ptr %y : !tile.ptr<i32> -> i32
    %more = arith.cmpi ne, %a, %c0 : i32
    scf.condition(%more)
  } do {
    tile.store_ptr %y, %c1 : !tile.ptr<i32>, i32
    scf.yield
  }
  %t = tile.splat %all : tensor<128xi32, #l>
  %i = tile.iota 0 : tensor<128xi32, #l>
  %py = tile.splat %y : tensor<128x!tile.ptr<i32>, #l>
  %to = tile.ptr_add %py, %i : tensor<128x!tile.ptr<i32>, #l>, tensor<128xi32, #l>
  tile.store_ptr %to, %t : tensor<128x!tile.ptr<i32>, #l>, tensor<128xi32, #l>
}

// The first thread does all that a kernel of scalars does, with what its loop gives, too.
// CHECK-LABEL: tile.kernel @kernel_of_scalars(
// CHECK-SAME: shared_bytes = 0
// CHECK-SAME: simt.decided = {first_thread}
// CHECK-NOT: gpu.barrier
// CHECK: tile.store_ptr %{{.*}}, %{{.*}}#1
tile.kernel @kernel_of_scalars(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %r:2 = scf.for %i = %c1 to %c9 step %c1 iter_args(%last = %c0, %sum = %c0) -> (i32, i32) : i32 {
    %p = tile.ptr_add %x, %last : !tile.ptr<i32>, i32
    %a = tile.load_ptr %p : !tile.ptr<i32> -> i32
    %q = tile.ptr_add %y, %i : !tile.ptr<i32>, i32
    tile.store_ptr %q, %a : !tile.ptr<i32>, i32
    %new = arith.addi %sum, %a : i32
    scf.yield %a, %new : i32, i32
  }
  tile.store_ptr %y, %r#1 : !tile.ptr<i32>, i32
}

// Tiles at different known places along a dimension do not meet, whatever their other coordinates are, if the places of a view are its own.
// CHECK-LABEL: tile.kernel @apart(
// CHECK: tile.store
// CHECK-NOT: gpu.barrier
// CHECK: tile.store
// CHECK: gpu.barrier
// CHECK: tile.store
// CHECK: gpu.barrier
// CHECK: tile.load
tile.kernel @apart(%y: !tile.view<8x256xf32, strides = [512, 2]> {tile.noalias}) attributes {warps = 4 : i64} {
  %n = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant dense<1.0> : tensor<128xf32, #l>
  tile.store %a, %y at [%n, %c0] : tensor<128xf32, #l>, !tile.view<8x256xf32, strides = [512, 2]>
  tile.store %a, %y at [%c1, %c128] : tensor<128xf32, #l>, !tile.view<8x256xf32, strides = [512, 2]>
  %b = arith.constant dense<2.0> : tensor<128xf32, #turned>
  tile.store %b, %y at [%n, %c64] : tensor<128xf32, #turned>, !tile.view<8x256xf32, strides = [512, 2]>
  %r = tile.load %y at [%n, %c64] : !tile.view<8x256xf32, strides = [512, 2]> -> tensor<128xf32, #l>
  tile.store %r, %y at [%c1, %c64] : tensor<128xf32, #l>, !tile.view<8x256xf32, strides = [512, 2]>
}

// Here they are not.
// CHECK-LABEL: tile.kernel @repeated(
// CHECK: tile.store
// CHECK: gpu.barrier
// CHECK: tile.store
tile.kernel @repeated(%y: !tile.view<8x256xf32, strides = [128, 1]> {tile.noalias}) attributes {warps = 4 : i64} {
  %n = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %a = arith.constant dense<1.0> : tensor<128xf32, #l>
  tile.store %a, %y at [%n, %c0] : tensor<128xf32, #l>, !tile.view<8x256xf32, strides = [128, 1]>
  tile.store %a, %y at [%n, %c128] : tensor<128xf32, #l>, !tile.view<8x256xf32, strides = [128, 1]>
}

// Volatile accesses stay in their order: here a flag says that the numbers before it are there.
// CHECK-LABEL: tile.kernel @published(
// CHECK: tile.store
// CHECK: gpu.barrier
// CHECK: tile.store
tile.kernel @published(%y: !tile.view<256xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %a = arith.constant dense<1.0> : tensor<128xf32, #l>
  tile.store %a, %y at [%c0] volatile : tensor<128xf32, #l>, !tile.view<256xf32>
  tile.store %a, %y at [%c128] volatile : tensor<128xf32, #l>, !tile.view<256xf32>
}
