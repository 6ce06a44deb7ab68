// Analyses treat a plug-in's barriers, memory accesses, asynchronous matmuls and movements of tiles by their interfaces, as Kiln's own.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for part in dialect.h:dialect-decls dialect.cpp:dialect-defs ops.h:op-decls ops.cpp:op-defs; do \
// RUN:   mlir-tblgen -gen-${part#*:} $(case $part in ops*) echo -op-include-regex=^own;; *) echo -dialect=own;; esac) %S/Inputs/own.td \
// RUN:     -I %source/include -I %llvm/include -o own.${part%:*}.inc || exit 1; done
// RUN: %plugin_cxx -I. %S/Inputs/own.cpp -o own.so
// RUN: kiln-opt threads.mlir --load-target=%t/own.so --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(llvm.func(simt-verify-barriers))'
// RUN: kiln-opt pointers.mlir --load-target=%t/own.so --pass-pipeline='builtin.module(tile.kernel(tile-recover-views,canonicalize))' | FileCheck pointers.mlir

//--- threads.mlir
// A barrier parts what a thread stores from what another one reads.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @parted(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %other = arith.xori %i, %c32 : i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %x, %p : f32, !llvm.ptr<3>
  own.meet
  %y = own.peek %q : !llvm.ptr<3> -> f32
  own.meet
  llvm.store %y, %p : f32, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @no_barrier(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %other = arith.xori %i, %c32 : i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // expected-note@+1 {{it does so here}}
  llvm.store %x, %p : f32, !llvm.ptr<3>
  // expected-error@+1 {{unverified: 'own.peek' reads byte 0 of the block's memory in thread 32, which thread 0 writes before, and no barrier parts the two}}
  %y = own.peek %q : !llvm.ptr<3> -> f32
  llvm.return
}

// -----

// The sum of an asynchronous matmul may be read, and its operand overwritten, behind the wait for its group.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @awaited(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %first = own.multiply %memory plus %x : !llvm.ptr<3>, f32 -> f32
  %second = own.multiply %memory plus %first : !llvm.ptr<3>, f32 -> f32
  own.commit
  %sum = own.finish %second : f32 -> f32
  own.meet
  llvm.store %sum, %memory : f32, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @early(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  // expected-note@+1 {{the product is here}}
  %sum = own.multiply %memory plus %x : !llvm.ptr<3>, f32 -> f32
  own.commit
  // expected-error@+1 {{unverified: 'arith.addf' uses sums of a product before a wait covers it}}
  %twice = arith.addf %sum, %sum : f32
  %after = own.finish %sum : f32 -> f32
  llvm.return
}

// -----

// Without a group no wait covers it.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @in_flight(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  // expected-error@+1 {{unverified: 'own.multiply' may still be in flight where the function ends: no wait covers it}}
  %sum = own.multiply %memory plus %x : !llvm.ptr<3>, f32 -> f32
  llvm.return
}

//--- pointers.mlir
// Pointers that a plug-in's operation transposes are those of a view all the same.
// CHECK-LABEL: tile.kernel @turned
// CHECK: %[[VIEW:.*]] = tile.make_view %arg0 strides[%{{.*}}] : !tile.ptr<f32> -> !tile.view<4x8xf32, strides = [0, ?]>
// CHECK: tile.load %[[VIEW]]
// CHECK-NOT: tile.load_ptr
tile.kernel @turned(%x: !tile.ptr<f32>, %y: !tile.view<?x?xf32>, %stride: i32) {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<8xi32>
  %column = tile.expand_dims %i axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %s = tile.splat %stride : tensor<8x1xi32>
  %scaled = arith.muli %column, %s : tensor<8x1xi32>
  %rows = tile.broadcast %scaled : tensor<8x1xi32> -> tensor<8x4xi32>
  %turned = own.turn %rows : tensor<8x4xi32> -> tensor<4x8xi32>
  %base = tile.splat %x : tensor<4x8x!tile.ptr<f32>>
  %p = tile.ptr_add %base, %turned : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  %t = tile.load_ptr %p : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
  tile.store %t, %y[%c0, %c0] : tensor<4x8xf32>, !tile.view<?x?xf32>
}
