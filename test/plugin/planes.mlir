// Boxes of copies as transfers of two dimensions inside of the view.
// RUN: %plugin_cxx %S/Inputs/planes.cpp -o %t.so
// RUN: kiln-opt %s --load-target=%t.so --allow-unregistered-dialect \
// RUN:   --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies,test-planes))' \
// RUN:   | FileCheck %s

// The box begins at 2, 4, 4 of 3 x 5 x 7 elements: its second plane is outside, and a row of three elements is left of the first.
// CHECK-LABEL: tile.kernel @edge
// CHECK: "test.box"({{.*}}) {known = [0], strides = array<i64>}
// CHECK: "test.plane"({{.*}}) {known = [0, 1, 3, 2, 4, 4], strides = array<i64: 16, 4>}
// CHECK: "test.plane"({{.*}}) {known = [64, 1, 0, 3, 4, 4], strides = array<i64: 16, 4>}
// CHECK: "test.box"({{.*}}) {known = [-1], strides = array<i64>}
// CHECK: "test.plane"({{.*}}) {known = [0, 4, 4, 0, 0, 0], strides = array<i64: 16, 4>}
// CHECK: "test.plane"({{.*}}) {known = [64, 4, 4, 1, 0, 0], strides = array<i64: 16, 4>}
tile.kernel @edge(%a: !tile.view<3x5x7xf32> {tile.readonly}, %b: !tile.view<2x4x4xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %x = tile.load %a at [%c2, %c4, %c4] : !tile.view<3x5x7xf32> -> tensor<2x4x4xf32>
  tile.store %x, %b at [%c0, %c0, %c0] : tensor<2x4x4xf32>, !tile.view<2x4x4xf32>
}

// What begins before the view loses its first elements; a view of rank 1 has columns alone.
// CHECK-LABEL: tile.kernel @before
// CHECK: "test.plane"({{.*}}) {known = [12, 1, 5, 0], strides = array<i64: 0, 4>}
// CHECK: "test.plane"({{.*}}) {known = [unit, 1, unit, unit], strides = array<i64: 0, 4>}
tile.kernel @before(%a: !tile.view<100xf32> {tile.readonly}, %b: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %m3 = arith.constant -3 : index
  %x = tile.load %a at [%m3] : !tile.view<100xf32> -> tensor<8xf32>
  tile.store %x, %b[%i] : tensor<8xf32>, !tile.view<?xf32>
}
