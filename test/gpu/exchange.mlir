// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of layout: the cheapest way is taken, and brings every element where it shall be.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

#rows = #simt.layout<rank = 2, register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#fragment = #simt.layout<rank = 2, register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]],
  lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#swapped = #simt.layout<rank = 2, register = [[0, 4], [0, 2], [0, 1], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#near_square = #simt.layout<rank = 2, register = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#crossed = #simt.layout<rank = 2, register = [[0, 8], [0, 2], [0, 4]],
  lane = [[0, 1], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>

// In a thread: no operation at all.
// CHECK-LABEL: llvm.func @renamed
// CHECK-SAME: , shared_bytes = 0,
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// renamed: a: i16 = range(4096), b: i16 = [0] * 4096
// renamed: expect b == a
tile.kernel @renamed(%a: !tile.view<64x64xf16>, %b: !tile.view<64x64xf16> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
  %y = simt.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #swapped>
  tile.store %y, %b[%z, %z] : tensor<64x64xf16, #swapped>, !tile.view<64x64xf16>
  tile.return
}

// In a warp: half of the values cross, two to a word.
// CHECK-LABEL: llvm.func @crossed
// CHECK-SAME: , shared_bytes = 0,
// CHECK-COUNT-2: gpu.shuffle
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// crossed: a: i16 = range(1024), b: i16 = [0] * 1024
// crossed: expect b == a and count("gpu.shuffle") == 2
tile.kernel @crossed(%a: !tile.view<32x32xf16>, %b: !tile.view<32x32xf16> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<32x32xf16> -> tensor<32x32xf16, #near_square>
  %y = simt.convert_layout %x : tensor<32x32xf16, #near_square> -> tensor<32x32xf16, #crossed>
  tile.store %y, %b[%z, %z] : tensor<32x32xf16, #crossed>, !tile.view<32x32xf16>
  tile.return
}

#near = #simt.layout<rank = 1, register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]>
#apart = #simt.layout<rank = 1, register = [[256], [512], [1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>

// Between warps: vectors of 16 bytes on one side, words on the other, one barrier.
// CHECK-LABEL: llvm.func @memory
// CHECK-SAME: , shared_bytes = 8192,
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-16: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xf16>
// CHECK-NOT: llvm.load
// CHECK-NOT: gpu.barrier
// memory: a: i16 = range(4096), b: i16 = [0] * 4096
// memory: expect b == a
tile.kernel @memory(%a: !tile.view<64x64xf16>, %b: !tile.view<64x64xf16> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
  %y = simt.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #fragment>
  tile.store %y, %b[%z, %z] : tensor<64x64xf16, #fragment>, !tile.view<64x64xf16>
  tile.return
}

#long = #simt.layout<rank = 1, register = [[1], [2], [512], [1024], [2048]], lane = [[4], [8], [16], [32], [64]],
  warp = [[128], [256]]>
#far = #simt.layout<rank = 1, register = [[1], [2], [512], [1024], [2048]], lane = [[128], [256], [4], [8], [16]],
  warp = [[32], [64]]>

// A tile that is larger than what one exchange takes goes in rounds: registers of both tell four parts apart.
// CHECK-LABEL: llvm.func @rounds
// CHECK-SAME: , shared_bytes = 8192,
// rounds: a: i32 = range(4096), b: i32 = [0] * 4096
// rounds: expect b == a and count("gpu.barrier") == 3
tile.kernel @rounds(%a: !tile.view<4096xf32>, %b: !tile.view<4096xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<4096xf32> -> tensor<4096xf32, #long>
  %y = simt.convert_layout %x : tensor<4096xf32, #long> -> tensor<4096xf32, #far>
  tile.store %y, %b[%z] : tensor<4096xf32, #far>, !tile.view<4096xf32>
  tile.return
}

#own = #simt.layout<rank = 1, register = [[1], [2], [4], [8], [16], [32], [64]],
  lane = [[128], [256], [512], [1024], [2048]], warp = [[4096], [8192]]>
#given = #simt.layout<rank = 1, register = [[128], [256], [512], [1024], [2048], [4096], [8192]],
  lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// Of a tile that is larger than memory, of which no register keeps its elements, some threads sit out each of four rounds.
// CHECK-LABEL: llvm.func @parts
// CHECK-SAME: , shared_bytes = 16384,
// A thread reads in one of them, and keeps that.
// CHECK: %[[FIRST:.*]]:128 = scf.if %{{.*}} -> (f32,
// CHECK: llvm.load
// CHECK: else
// CHECK: %[[SECOND:.*]]:128 = scf.if %{{.*}} -> (f32,
// CHECK: llvm.load
// CHECK: else
// CHECK-NEXT: scf.yield %[[FIRST]]#0,
// CHECK-COUNT-2: scf.if %{{.*}} -> (f32,
// parts: a: i32 = range(16384), b: i32 = [0] * 16384
// parts: expect b == a and count("gpu.barrier") == 7
tile.kernel @parts(%a: !tile.view<16384xf32>, %b: !tile.view<16384xf32> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<16384xf32> -> tensor<16384xf32, #own>
  %y = simt.convert_layout %x : tensor<16384xf32, #own> -> tensor<16384xf32, #given>
  tile.store %y, %b[%z] : tensor<16384xf32, #given>, !tile.view<16384xf32>
  tile.return
}

#across = #simt.layout<rank = 2, register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[32, 0]]>
#down = #simt.layout<rank = 2, register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]]>

// All values of a warp change lanes: through memory, but nobody waits for other warps.
// CHECK-LABEL: llvm.func @warps
// CHECK-SAME: , shared_bytes = 8192,
// CHECK-NOT: gpu.barrier
// CHECK: simt.warp_barrier
// CHECK-NOT: gpu.barrier
// warps: a: i32 = range(2048), b: i32 = [0] * 2048
// warps: expect b == a and count("simt.warp_barrier") == 1
tile.kernel @warps(%a: !tile.view<64x32xf32>, %b: !tile.view<64x32xf32> {tile.noalias}) attributes {warps = 2 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<64x32xf32> -> tensor<64x32xf32, #across>
  %y = simt.convert_layout %x : tensor<64x32xf32, #across> -> tensor<64x32xf32, #down>
  tile.store %y, %b[%z, %z] : tensor<64x32xf32, #down>, !tile.view<64x32xf32>
  tile.return
}

// Two exchanges of a block in one body: memory in turns, and two barriers. With one in a body, the end of the body waits
// for its readers.
// CHECK-LABEL: llvm.func @turns
// turns: a: i16 = range(1024), b: i16 = [0] * 1024
// turns: expect b == a and count("gpu.barrier") == 6 + 6 + 1
tile.kernel @turns(%a: !tile.view<1024xi16>, %b: !tile.view<1024xi16> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 3 : index
  %x = tile.load %a[%z] : !tile.view<1024xi16> -> tensor<1024xi16, #near>
  %twice = scf.for %i = %z to %n step %one iter_args(%v = %x) -> (tensor<1024xi16, #near>) {
    %w = simt.convert_layout %v : tensor<1024xi16, #near> -> tensor<1024xi16, #apart>
    %c = simt.convert_layout %w : tensor<1024xi16, #apart> -> tensor<1024xi16, #near>
    scf.yield %c : tensor<1024xi16, #near>
  }
  %once = scf.for %i = %z to %n step %one iter_args(%v = %twice) -> (tensor<1024xi16, #near>) {
    %w = tile.reshape %v : tensor<1024xi16, #near> -> tensor<32x32xi16, #near_square>
    %t = tile.transpose %w [1, 0] : tensor<32x32xi16, #near_square> -> tensor<32x32xi16, #near_square>
    %c = tile.reshape %t : tensor<32x32xi16, #near_square> -> tensor<1024xi16, #near>
    scf.yield %c : tensor<1024xi16, #near>
  }
  %w = tile.reshape %once : tensor<1024xi16, #near> -> tensor<32x32xi16, #near_square>
  %t = tile.transpose %w [1, 0] : tensor<32x32xi16, #near_square> -> tensor<32x32xi16, #near_square>
  %c = tile.reshape %t : tensor<32x32xi16, #near_square> -> tensor<1024xi16, #near>
  tile.store %c, %b[%z] : tensor<1024xi16, #near>, !tile.view<1024xi16>
  tile.return
}

#copied = #simt.layout<rank = 2, register = [[8, 0], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]],
  warp = [[1, 0], [2, 0], [4, 0]]>
#others = #simt.layout<rank = 2, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4]],
  warp = [[0, 8], [0, 16], [0, 32]]>

// Lanes that hold copies do not write, and a tile of 12 rows has the places of 16.
// CHECK-LABEL: llvm.func @copies
// CHECK: scf.if
// CHECK: llvm.store
// CHECK: gpu.barrier
// copies: a: i8 = [i % 251 for i in range(480)], b: i8 = [0] * 480
// copies: expect b == a
tile.kernel @copies(%a: !tile.view<12x40xi8>, %b: !tile.view<12x40xi8> {tile.noalias}) attributes {warps = 8 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<12x40xi8> -> tensor<12x40xi8, #copied>
  %y = simt.convert_layout %x : tensor<12x40xi8, #copied> -> tensor<12x40xi8, #others>
  tile.store %y, %b[%z, %z] : tensor<12x40xi8, #others>, !tile.view<12x40xi8>
  tile.return
}

// A transposition is an exchange as well, and so is what a mask of single bits goes through.
// CHECK-LABEL: llvm.func @transposed
// transposed: a: i16 = range(4096), b: i16 = [0] * 4096
// transposed: expect b == [a[j * 64 + i] if a[j * 64 + i] > 2000 else 0 for i in range(64) for j in range(64)]
tile.kernel @transposed(%a: !tile.view<64x64xi16>, %b: !tile.view<64x64xi16> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %least = arith.constant dense<2000> : tensor<64x64xi16, #rows>
  %none = arith.constant dense<0> : tensor<64x64xi16, #fragment>
  %x = tile.load %a[%z, %z] : !tile.view<64x64xi16> -> tensor<64x64xi16, #rows>
  %m = arith.cmpi sgt, %x, %least : tensor<64x64xi16, #rows>
  %y = tile.transpose %x [1, 0] : tensor<64x64xi16, #rows> -> tensor<64x64xi16, #fragment>
  %n = tile.transpose %m [1, 0] : tensor<64x64xi1, #rows> -> tensor<64x64xi1, #fragment>
  %s = arith.select %n, %y, %none : tensor<64x64xi1, #fragment>, tensor<64x64xi16, #fragment>
  tile.store %s, %b[%z, %z] : tensor<64x64xi16, #fragment>, !tile.view<64x64xi16>
  tile.return
}

// An element that every thread has is not sent anywhere.
// CHECK-LABEL: llvm.func @element
// CHECK-SAME: , shared_bytes = 0,
// element: a: i32 = [7, 8, 9, 10], b: i32 = [0] * 4
// element: expect b == [9] * 4
#every = #simt.layout<rank = 1, register = [[2], [1]], lane = [], warp = []>
tile.kernel @element(%a: !tile.view<4xi32>, %b: !tile.view<4xi32> {tile.noalias}) attributes {warps = 2 : i64} {
  %z = arith.constant 0 : index
  %two = arith.constant 2 : index
  %x = tile.load %a[%z] : !tile.view<4xi32> -> tensor<4xi32, #every>
  %e = tensor.extract %x[%two] : tensor<4xi32, #every>
  %y = tile.splat %e : tensor<4xi32, #every>
  tile.store %y, %b[%z] : tensor<4xi32, #every>, !tile.view<4xi32>
  tile.return
}
