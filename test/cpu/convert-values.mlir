// Sorts, gathers, histograms, atomic operations and pointers as convert-stage-to-cpu writes them.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(tile-lower-pointers,tile-decide-storage{keep-cost=8.0 keep-reads=false tree-limit=64.0},convert-tile-to-stage{fragments=false},stage-place{conflict=1024 space=},stage-allocate),convert-stage-to-cpu,canonicalize,cse)' | FileCheck %s

!V = !tile.view<64xi32>
!F = !tile.view<64xf32>

// A loop counts for each element those before it: smaller ones, equal ones of lower index; NaN is the largest.
// CHECK-LABEL: func.func @sort
// CHECK: scf.for %[[I:.*]] = %c0_i64 to %c64_i64 step %c1_i64
// CHECK: %[[MINE:.*]] = llvm.load {{.*}} -> f32
// CHECK: %[[COUNT:.*]] = scf.for %[[J:.*]] = %c0_i64 to %c64_i64 step %c1_i64 iter_args
// CHECK: arith.cmpi slt, %[[J]], %[[I]] : i64
// CHECK: arith.bitcast %[[MINE]] : f32 to i32
// CHECK: arith.cmpi ugt, %{{.*}}, %c2139095040_i32
// CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[%[[COUNT]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.store %[[MINE]], %[[TO]]
tile.kernel @sort(%x: !F {tile.readonly}, %y: !F {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !F -> tensor<64xf32>
  %s = tile.sort %t axis 0 : tensor<64xf32>
  tile.store %s, %y[%c0] : tensor<64xf32>, !F
}

// Within a vector, an exchange is a shuffle.
// CHECK-LABEL: func.func @exchange
// CHECK: vector.shuffle %{{.*}} [4, 5, 6, 7, 0, 1, 2, 3]
tile.kernel @exchange(%x: !V {tile.readonly}, %y: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !V -> tensor<64xi32>
  %s = tile.exchange %t axis 0 mask 4 : tensor<64xi32>
  tile.store %s, %y[%c0] : tensor<64xi32>, !V
}

// A tile in scratch memory is read at indices that are clamped into it.
// CHECK-LABEL: func.func @gather
// CHECK: %[[AT:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[LOW:.*]] = arith.minsi %[[AT]], %c63_i64
// CHECK: %[[IN:.*]] = arith.maxsi %[[LOW]], %c0_i64
// CHECK: llvm.getelementptr %{{.*}}[%[[IN]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
tile.kernel @gather(%x: !F {tile.readonly}, %i: !V {tile.readonly}, %y: !F {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !F -> tensor<64xf32>
  %j = tile.load %i[%c0] : !V -> tensor<64xi32>
  %s = tile.gather %t by %j axis 0 : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
  tile.store %s, %y[%c0] : tensor<64xf32>, !F
}

// Bins begin at zero; an index outside of them adds nothing.
// CHECK-LABEL: func.func @histogram
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64
// CHECK: llvm.store %c0_i32
// CHECK: scf.for %{{.*}} = %c0_i64 to %c64_i64
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[BIN:.*]], %c0_i64
// CHECK: %[[HIGH:.*]] = arith.cmpi slt, %[[BIN]], %c16_i64
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: arith.select %[[IN]], %[[BIN]], %c0_i64
// CHECK: arith.extui %[[IN]] : i1 to i32
tile.kernel @histogram(%x: !V {tile.readonly}, %y: !tile.view<16xi32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !V -> tensor<64xi32>
  %h = tile.histogram %t : tensor<64xi32> -> tensor<16xi32>
  tile.store %h, %y[%c0] : tensor<16xi32>, !tile.view<16xi32>
}

// An index outside of the view disables its lane.
// CHECK-LABEL: func.func @load_gather
// CHECK: %[[AT:.*]] = arith.extsi %{{.*}} : vector<8xi32> to vector<8xi64>
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[AT]], %{{.*}} : vector<8xi64>
// CHECK: %[[MASK:.*]] = arith.andi %[[IN]], %{{.*}} : vector<8xi1>
// CHECK: %[[FROM:.*]] = llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK: llvm.intr.masked.gather %[[FROM]], %[[MASK]]
tile.kernel @load_gather(%x: !F {tile.readonly}, %i: !V {tile.readonly}, %y: !F {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %j = tile.load %i[%c0] : !V -> tensor<64xi32>
  %s = tile.load_gather %x[] dim 0 by %j : !F, tensor<64xi32> -> tensor<64xf32>
  tile.store %s, %y[%c0] : tensor<64xf32>, !F
}

// CHECK-LABEL: func.func @store_scatter
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[AT:.*]], %{{.*}} : vector<8xi64>
// CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK: llvm.intr.masked.scatter %{{.*}}, %[[TO]], %[[IN]]
tile.kernel @store_scatter(%x: !F {tile.readonly}, %i: !V {tile.readonly}, %y: !F {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !F -> tensor<64xf32>
  %j = tile.load %i[%c0] : !V -> tensor<64xi32>
  tile.store_scatter %t, %y[] dim 0 by %j : tensor<64xf32>, !F, tensor<64xi32>
}

// Orders of memory are kept.
// CHECK-LABEL: func.func @atomics
// CHECK: llvm.atomicrmw add %{{.*}}, %c1_i32 acq_rel : !llvm.ptr, i32
// CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} monotonic : !llvm.ptr, f32
// CHECK: llvm.cmpxchg %{{.*}}, %c0_i32, %c1_i32 acq_rel acquire : !llvm.ptr, i32
tile.kernel @atomics(%p: !tile.ptr<i32>, %q: !tile.ptr<f32>) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %half = arith.constant 0.5 : f32
  %a = tile.atomic_rmw add acq_rel device %p, %one : !tile.ptr<i32>, i32
  %b = tile.atomic_rmw fadd relaxed device %q, %half : !tile.ptr<f32>, f32
  %c = tile.atomic_cas acq_rel device %p, %zero, %one : !tile.ptr<i32>, i32
  tile.return
}

// Addresses are integers of 64 bits, so a vector has four; disabled lanes touch no memory.
// CHECK-LABEL: func.func @pointers
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: %[[FROM:.*]] = llvm.inttoptr %{{.*}} : vector<4xi64> to vector<4x!llvm.ptr>
// CHECK: llvm.intr.masked.gather %[[FROM]], %[[MASK]], %{{.*}} {alignment = 4 : i32}
// CHECK: %[[ENABLED:.*]] = arith.cmpi slt
// CHECK: %[[TO:.*]] = llvm.inttoptr
// CHECK: llvm.intr.masked.scatter %{{.*}}, %[[TO]], %[[ENABLED]]
tile.kernel @pointers(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %i: !V {tile.readonly}, %n: i32) {
  %c0 = arith.constant 0 : index
  %j = tile.load %i[%c0] : !V -> tensor<64xi32>
  %lane = tile.iota 0 : tensor<64xi32>
  %end = tile.splat %n : tensor<64xi32>
  %m = arith.cmpi slt, %lane, %end : tensor<64xi32>
  %other = arith.constant dense<-1.0> : tensor<64xf32>
  %px = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %qx = tile.ptr_add %px, %j : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load_ptr %qx mask %m other %other : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %py = tile.splat %y : tensor<64x!tile.ptr<f32>>
  %qy = tile.ptr_add %py, %j : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store_ptr %qy, %v mask %m : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
}
