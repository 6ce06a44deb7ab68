// Arguments that are given up are written, where a copy of them was to be.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(program.func(program-reuse-donated))' | FileCheck %s

tile.kernel @first(%x: !tile.view<?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : tensor<1xf32>
  tile.store %t, %x[%c0] : tensor<1xf32>, !tile.view<?xf32>
}

tile.kernel @second(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<1xf32>
  tile.store %t, %y[%c0] : tensor<1xf32>, !tile.view<?xf32>
}

// CHECK-LABEL: program.func @update(%arg0: memref<?xf32> {kiln.argument = {donated = "written"}})
// CHECK-NOT: program.alloc
// CHECK-NOT: program.copy
// CHECK: program.launch [@first] {{.*}} args(%arg0) writes [0]
// CHECK: program.return %arg0
program.func @update(%x: memref<?xf32> {kiln.argument = {donated}}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %r = program.alloc sizes (%n) : memref<?xf32>
  program.copy %x to %r : memref<?xf32>, memref<?xf32>
  program.launch [@first] grid(%c1, %c1, %c1) args(%r) writes [0] : memref<?xf32>
  program.return %r : memref<?xf32>
}

// Nobody has given it up.
// CHECK-LABEL: program.func @kept
// CHECK: program.copy
program.func @kept(%x: memref<8xf32>) -> memref<8xf32> {
  %c1 = arith.constant 1 : index
  %r = program.alloc : memref<8xf32>
  program.copy %x to %r : memref<8xf32>, memref<8xf32>
  program.launch [@first] grid(%c1, %c1, %c1) args(%r) writes [0] : memref<8xf32>
  program.return %r : memref<8xf32>
}

// It is read, through a view, after it would have been written.
// CHECK-LABEL: program.func @read_later(%arg0: memref<8xf32> {kiln.argument = {donated}})
// CHECK: program.copy
program.func @read_later(%x: memref<8xf32> {kiln.argument = {donated}}) -> (memref<8xf32>, memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %v = program.view %x offset [4] sizes [4] strides [1] (), (), () : memref<8xf32> -> memref<4xf32, strided<[1], offset: 4>>
  %r = program.alloc : memref<8xf32>
  program.copy %x to %r : memref<8xf32>, memref<8xf32>
  program.launch [@first] grid(%c1, %c1, %c1) args(%r) writes [0] : memref<8xf32>
  %s = program.alloc : memref<4xf32>
  program.launch [@second] grid(%c1, %c1, %c1) args(%v, %s) writes [1] : memref<4xf32, strided<[1], offset: 4>>, memref<4xf32>
  program.return %r, %s : memref<8xf32>, memref<4xf32>
}

// It is read before.
// CHECK-LABEL: program.func @read_before
// CHECK-NOT: program.copy
// CHECK: program.launch [@second] {{.*}} args(%arg0,
// CHECK: program.launch [@first] {{.*}} args(%arg0)
program.func @read_before(%x: memref<8xf32> {kiln.argument = {donated}}) -> (memref<8xf32>, memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %s = program.alloc : memref<8xf32>
  program.launch [@second] grid(%c1, %c1, %c1) args(%x, %s) writes [1] : memref<8xf32>, memref<8xf32>
  %r = program.alloc : memref<8xf32>
  program.copy %x to %r : memref<8xf32>, memref<8xf32>
  program.launch [@first] grid(%c1, %c1, %c1) args(%r) writes [0] : memref<8xf32>
  program.return %r, %s : memref<8xf32>, memref<8xf32>
}
