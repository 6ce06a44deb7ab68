// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads compute: numbers of threads, vectors, addresses, arithmetic of llvm.
// RUN: kiln-eval %s | FileCheck %s
// RUN: kiln-eval --seed=7 %s | FileCheck %s

// Blocks and threads know their numbers and counts.
// CHECK: numbers[0] = [6] i32: 0 1 2 10 11 12
// CHECK: numbers[1] = [4] i64: 3 2 1 1
llvm.func @numbers(%out: !llvm.ptr<1>, %counts: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 3, shared_bytes = 0>,
    eval.grid = array<i64: 2, 1, 1>, eval.args = ["zeros:i32:6", "zeros:i64:4"]} {
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %threads = gpu.block_dim x
  %blocks = gpu.grid_dim x
  %rows = gpu.grid_dim y
  %t = arith.index_castui %thread : index to i32
  %b = arith.index_castui %block : index to i32
  %n = arith.index_castui %threads : index to i32
  %c10 = arith.constant 10 : i32
  %first = arith.muli %b, %n : i32
  %at = arith.addi %first, %t : i32
  %tens = arith.muli %b, %c10 : i32
  %value = arith.addi %tens, %t : i32
  %p = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  simt.store %value, %p align 4 : i32, !llvm.ptr<1>
  %c0 = arith.constant 0 : i32
  %isFirst = arith.cmpi eq, %at, %c0 : i32
  scf.if %isFirst {
    %w = gpu.subgroup_size : index
    %x = arith.index_castui %threads : index to i64
    %y = arith.index_castui %blocks : index to i64
    %z = arith.index_castui %rows : index to i64
    %v0 = llvm.mlir.poison : vector<2xi64>
    %v1 = llvm.insertelement %x, %v0[%c0 : i32] : vector<2xi64>
    %c1 = arith.constant 1 : i32
    %v2 = llvm.insertelement %y, %v1[%c1 : i32] : vector<2xi64>
    simt.store %v2, %counts align 16 : vector<2xi64>, !llvm.ptr<1>
    %q = llvm.getelementptr %counts[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %z, %q : i64, !llvm.ptr<1>
    %q3 = llvm.getelementptr %counts[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i64
    llvm.store %z, %q3 : i64, !llvm.ptr<1>
  }
  llvm.return
}

// A mask, what is read without it, and vectors of several types.
// CHECK: accesses[1] = [8] f32: 1 2 0.5 0.5 5 6 0.5 0.5
// CHECK: accesses[2] = [2] i32: 1065353216 1084227584
llvm.func @accesses(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %bits: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 4, shared_bytes = 0>,
    eval.args = [dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>, "zeros:f32:8", "zeros:i32:2"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %odd = arith.andi %t, %c1 : i32
  %isEven = arith.cmpi eq, %odd, %c0 : i32
  %half = arith.constant dense<0.5> : vector<2xf32>
  %p = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2xf32>
  %x = simt.load %p mask %isEven other %half : vector<2xf32> align 8 : !llvm.ptr<1> -> vector<2xf32>
  %q = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2xf32>
  simt.store %x, %q align 8 : vector<2xf32>, !llvm.ptr<1>
  %first = llvm.extractelement %x[%c0 : i32] : vector<2xf32>
  %asInt = llvm.bitcast %first : f32 to i32
  %at = arith.shrui %t, %c1 : i32
  %r = llvm.getelementptr %bits[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  simt.store %asInt, %r mask %isEven align 4 : i32, !llvm.ptr<1>
  llvm.return
}

// Constants in memory, words that are cut into halves, and integers of the llvm dialect.
// CHECK: words[0] = [4] i32: 65541 -3 2 8
llvm.mlir.global private constant @table(dense<[5, 6, 7, 8]> : tensor<4xi16>) {addr_space = 1 : i32} : !llvm.array<4 x i16>
llvm.func @words(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 0>, eval.args = ["zeros:i32:4"]} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %table = llvm.mlir.addressof @table : !llvm.ptr<1>
  %five = llvm.load %table : !llvm.ptr<1> -> i16
  %one = llvm.mlir.constant(1 : i16) : i16
  %none = llvm.mlir.zero : vector<2xi16>
  %v0 = llvm.insertelement %five, %none[%c0 : i32] : vector<2xi16>
  %v1 = llvm.insertelement %one, %v0[%c1 : i32] : vector<2xi16>
  %word = llvm.bitcast %v1 : vector<2xi16> to i32
  llvm.store %word, %out : i32, !llvm.ptr<1>
  %minus = llvm.mlir.constant(-7 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %d = llvm.sdiv %minus, %two : i32
  %p1 = llvm.getelementptr %out[0, 1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, !llvm.array<4 x i32>
  llvm.store %d, %p1 : i32, !llvm.ptr<1>
  %count = llvm.intr.ctpop(%word) : (i32) -> i32
  %less = llvm.icmp "slt" %d, %count : i32
  %chosen = llvm.select %less, %two, %minus : i1, i32
  %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  llvm.store %chosen, %p2 : i32, !llvm.ptr<1>
  %address = llvm.ptrtoint %p2 : !llvm.ptr<1> to i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %behind = llvm.add %address, %four : i64
  %p3 = llvm.inttoptr %behind : i64 to !llvm.ptr<1>
  %last = llvm.getelementptr %table[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i16
  %eight = llvm.load %last : !llvm.ptr<1> -> i16
  %wide = llvm.zext %eight : i16 to i32
  llvm.store %wide, %p3 : i32, !llvm.ptr<1>
  llvm.return
}

// A view is its address, its sizes and its strides; the extents of the grid come last.
// CHECK: parameters[0] = [2, 3] f32: 2 3 3 1 4 5
llvm.func @parameters(%x: !llvm.ptr<1>, %s0: i64, %s1: i64, %t0: i64, %t1: i64, %a: f32, %gx: i64, %gy: i64, %gz: i64)
    attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 0, parameters = [!tile.view<?x?xf32>, f32]>, eval.grid = array<i64: 1, 1, 1>,
    eval.args = ["zeros:f32:2x3", 4.0 : f32]} {
  %f0 = arith.sitofp %s0 : i64 to f32
  %f1 = arith.sitofp %s1 : i64 to f32
  %f2 = arith.sitofp %t0 : i64 to f32
  %f3 = arith.sitofp %t1 : i64 to f32
  %g = arith.sitofp %gx : i64 to f32
  %f5 = arith.addf %a, %g : f32
  llvm.store %f0, %x : f32, !llvm.ptr<1>
  %p1 = llvm.getelementptr %x[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  llvm.store %f1, %p1 : f32, !llvm.ptr<1>
  %p2 = llvm.getelementptr %x[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  llvm.store %f2, %p2 : f32, !llvm.ptr<1>
  %p3 = llvm.getelementptr %x[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  llvm.store %f3, %p3 : f32, !llvm.ptr<1>
  %p4 = llvm.getelementptr %x[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  llvm.store %a, %p4 : f32, !llvm.ptr<1>
  %p5 = llvm.getelementptr %x[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  llvm.store %f5, %p5 : f32, !llvm.ptr<1>
  llvm.return
}
