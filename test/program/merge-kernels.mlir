// RUN: kiln-opt %s -program-merge-kernels | FileCheck %s

// Names and locations do not count.
// CHECK: tile.kernel private @first
// CHECK-NOT: @same
tile.kernel private @first(%x: !tile.view<8xf32> {tile.readonly}, %y: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<8xf32> -> tensor<8xf32>
  %w = math.sin %v : tensor<8xf32>
  tile.store %w, %y[%c0] : tensor<8xf32>, !tile.view<8xf32>
}
tile.kernel private @same(%x: !tile.view<8xf32> {tile.readonly}, %y: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<8xf32> -> tensor<8xf32>
  %w = math.sin %v : tensor<8xf32>
  tile.store %w, %y[%c0] : tensor<8xf32>, !tile.view<8xf32>
}
// Another operation, another fact, other operands.
// CHECK: @other_op
tile.kernel private @other_op(%x: !tile.view<8xf32> {tile.readonly}, %y: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<8xf32> -> tensor<8xf32>
  %w = math.cos %v : tensor<8xf32>
  tile.store %w, %y[%c0] : tensor<8xf32>, !tile.view<8xf32>
}
// CHECK: @other_fact
tile.kernel private @other_fact(%x: !tile.view<8xf32>, %y: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<8xf32> -> tensor<8xf32>
  %w = math.sin %v : tensor<8xf32>
  tile.store %w, %y[%c0] : tensor<8xf32>, !tile.view<8xf32>
}
// CHECK: @other_operand
tile.kernel private @other_operand(%x: !tile.view<8xf32> {tile.readonly}, %y: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<8xf32> -> tensor<8xf32>
  %w = math.sin %v : tensor<8xf32>
  tile.store %v, %y[%c0] : tensor<8xf32>, !tile.view<8xf32>
}
// A public kernel can be called by its name.
// CHECK: tile.kernel @public
tile.kernel @public(%x: !tile.view<8xf32> {tile.readonly}, %y: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<8xf32> -> tensor<8xf32>
  %w = math.sin %v : tensor<8xf32>
  tile.store %w, %y[%c0] : tensor<8xf32>, !tile.view<8xf32>
}
// An assertion says where it stands.
// CHECK: @asserts_here
tile.kernel private @asserts_here(%n: i1) {
  %t = tile.splat %n : tensor<8xi1>
  tile.assert %t, "no" : tensor<8xi1>
}
// CHECK: @asserts_there
tile.kernel private @asserts_there(%n: i1) {
  %t = tile.splat %n : tensor<8xi1>
  tile.assert %t, "no" : tensor<8xi1>
}

// CHECK-LABEL: program.func @main
// CHECK: program.launch [@first]
// CHECK: program.launch [@first, @other_fact]
// CHECK: program.launch [@public]
program.func @main(%x: memref<8xf32>) -> memref<8xf32> {
  %c1 = arith.constant 1 : index
  %guard = arith.constant true
  %a = program.alloc : memref<8xf32>
  program.launch [@same] grid (%c1, %c1, %c1) args (%x, %a) writes [1] : memref<8xf32>, memref<8xf32>
  %b = program.alloc : memref<8xf32>
  program.launch [@same, @other_fact] guards (%guard) grid (%c1, %c1, %c1) args (%a, %b) writes [1] : memref<8xf32>, memref<8xf32>
  %c = program.alloc : memref<8xf32>
  program.launch [@public] grid (%c1, %c1, %c1) args (%b, %c) writes [1] : memref<8xf32>, memref<8xf32>
  program.return %c : memref<8xf32>
}
