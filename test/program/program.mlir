// RUN: kiln-opt %s | kiln-opt | FileCheck %s

tile.kernel private @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %n: index) {
}

// CHECK-LABEL: program.func @main(%arg0: memref<?xf32>) -> memref<?xf32>
program.func @main(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %g = arith.cmpi sgt, %n, %c1 : index
  // CHECK: program.check %{{.*}}, "the input is empty"
  program.check %g, "the input is empty"
  // CHECK: program.alloc sizes(%{{.*}}) : memref<?xf32>
  %y = program.alloc sizes (%n) : memref<?xf32>
  // CHECK: program.view %{{.*}} offset [0] sizes [?, 8] strides [0, -1](), (%{{.*}}), () : memref<?xf32> -> memref<?x8xf32, strided<[0, -1], offset: ?>>
  %v = program.view %y offset [0] sizes [?, 8] strides [0, -1] (), (%n), () : memref<?xf32> -> memref<?x8xf32, strided<[0, -1], offset: ?>>
  // CHECK: program.constant dense<1.000000e+00> : tensor<4xf32> as memref<4xf32>
  %k = program.constant dense<1.0> : tensor<4xf32> as memref<4xf32>
  // CHECK: program.launch [@k, @k] guards(%{{.*}}) grid(%{{.*}}, %{{.*}}, %{{.*}}) args(%{{.*}}) writes [1] flops %{{.*}} {device = "host", schedule = "loop"} : memref<?xf32>, memref<?xf32>, index
  program.launch [@k, @k] guards (%g) grid (%n, %c1, %c1) args (%x, %y, %n) writes [1] flops %n {schedule = "loop", device = "host"} : memref<?xf32>, memref<?xf32>, index
  // CHECK: program.copy %{{.*}} to %{{.*}} : memref<?xf32>, memref<?xf32>
  program.copy %x to %y : memref<?xf32>, memref<?xf32>
  // CHECK: program.transfer %{{.*}} to "cpu" : memref<?xf32> -> memref<?xf32>
  %t = program.transfer %y to "cpu" : memref<?xf32> -> memref<?xf32>
  program.return %t : memref<?xf32>
}

// Where a buffer has no element its strides do not matter.
tile.kernel private @none(%x: !tile.view<?x0xf32, strides = [1, 1]>) {
}

// CHECK-LABEL: program.func @empty
// CHECK: program.launch [@none]
program.func @empty(%x: memref<?x0xf32>) {
  %c1 = arith.constant 1 : index
  program.launch [@none] grid (%c1, %c1, %c1) args (%x) writes [0] {schedule = "loop", device = "host"} : memref<?x0xf32>
  program.return
}
