// RUN: kiln-opt %s -program-plan-memory -canonicalize -cse | FileCheck %s

tile.kernel private @k(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
}

// In a chain two buffers are alive at a time. What is returned is not planned.
// CHECK-LABEL: program.func @chain
// CHECK: program.arena %c80000
// CHECK: program.alloc at %c0 :
// CHECK: program.alloc at %c40000 :
// CHECK: program.alloc at %c0 :
// CHECK: program.alloc :
program.func @chain(%x: memref<100x100xf32>) -> memref<100x100xf32> {
  %c1 = arith.constant 1 : index
  %a = program.alloc : memref<100x100xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%x, %a) writes [1] : memref<100x100xf32>, memref<100x100xf32>
  %b = program.alloc : memref<100x100xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%a, %b) writes [1] : memref<100x100xf32>, memref<100x100xf32>
  %c = program.alloc : memref<100x100xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%b, %c) writes [1] : memref<100x100xf32>, memref<100x100xf32>
  %d = program.alloc : memref<100x100xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%c, %d) writes [1] : memref<100x100xf32>, memref<100x100xf32>
  program.return %d : memref<100x100xf32>
}

// A use through a view keeps a buffer alive.
// CHECK-LABEL: program.func @view
// CHECK: program.arena %c128
program.func @view(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %c1 = arith.constant 1 : index
  %a = program.alloc : memref<4x4xf32>
  %v = program.view %a offset [0] sizes [4, 4] strides [1, 4] (), (), () : memref<4x4xf32> -> memref<4x4xf32, strided<[1, 4]>>
  program.launch [@k2] grid (%c1, %c1, %c1) args (%x, %v) writes [1] : memref<4x4xf32>, memref<4x4xf32, strided<[1, 4]>>
  %b = program.alloc : memref<4x4xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%x, %b) writes [1] : memref<4x4xf32>, memref<4x4xf32>
  %c = program.alloc : memref<4x4xf32>
  program.launch [@k2] grid (%c1, %c1, %c1) args (%b, %v) writes [] : memref<4x4xf32>, memref<4x4xf32, strided<[1, 4]>>
  program.launch [@k] grid (%c1, %c1, %c1) args (%b, %c) writes [1] : memref<4x4xf32>, memref<4x4xf32>
  %d = program.alloc : memref<4x4xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%c, %d) writes [1] : memref<4x4xf32>, memref<4x4xf32>
  program.return %d : memref<4x4xf32>
}
tile.kernel private @k2(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32, strides = [?, ?]>) {
}

// Buffers that are multiples of the same size share memory; one row of 4 bytes
// would waste it, so that it gets its own place, rounded up.
// CHECK-LABEL: program.func @dynamic
// CHECK: %[[N:.*]] = memref.dim %arg0, %c0
// CHECK-DAG: %[[A:.*]] = arith.muli %[[N]], %c512
// CHECK-DAG: %[[S:.*]] = arith.muli %[[N]], %c768
// CHECK-DAG: %[[R:.*]] = arith.muli %[[N]], %c4
// CHECK: %[[Q:.*]] = arith.ceildivsi %[[R]], %c64
// CHECK: %[[U:.*]] = arith.muli %[[Q]], %c64
// CHECK: %[[T:.*]] = arith.addi %[[S]], %[[U]]
// CHECK: program.arena %[[T]]
// CHECK: program.alloc sizes(%[[N]]) at %[[A]] : memref<?x64xf32>
// CHECK: program.alloc sizes(%{{.*}}) at %c0 : memref<?x128xf32>
// CHECK: program.alloc sizes(%{{.*}}) at %[[S]] : memref<?x1xf32>
// CHECK: program.alloc sizes(%[[N]]) at %c0 : memref<?x64xf32>
program.func @dynamic(%x: memref<?x64xf32>) -> memref<?x64xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %a = program.alloc sizes (%n) : memref<?x64xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%x, %a) writes [1] : memref<?x64xf32>, memref<?x64xf32>
  %n2 = memref.dim %a, %c0 : memref<?x64xf32>
  %b = program.alloc sizes (%n2) : memref<?x128xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%a, %b) writes [1] : memref<?x64xf32>, memref<?x128xf32>
  %s = program.alloc sizes (%n2) : memref<?x1xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%b, %s) writes [1] : memref<?x128xf32>, memref<?x1xf32>
  %c = program.alloc sizes (%n) : memref<?x64xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%s, %c) writes [1] : memref<?x1xf32>, memref<?x64xf32>
  %d = program.alloc sizes (%n) : memref<?x64xf32>
  program.launch [@k] grid (%c1, %c1, %c1) args (%c, %d) writes [1] : memref<?x64xf32>, memref<?x64xf32>
  program.return %d : memref<?x64xf32>
}
