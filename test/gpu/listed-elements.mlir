// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list names each element of a load, and nothing tells which of them are neighbours: the elements are loaded by the
// threads that have the list, so that a search in a table exchanges nothing. Where the list counts, neighbouring lanes
// load neighbours.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel @search
// CHECK: tile.load {{.*}} -> tensor<512xf32, #simt.layout<rank = 1, register = {{\[\[}}1], [2]], lane = {{\[\[}}4],
// CHECK-NOT: simt.convert_layout
// CHECK: scf.for
// CHECK-NOT: simt.convert_layout
// CHECK: tile.load_gather {{.*}} -> tensor<1x512xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4],
// CHECK-NOT: simt.convert_layout
// CHECK: tile.store {{.*}} tensor<512xi32, #simt.layout<rank = 1, register = {{\[\[}}1], [2]], lane = {{\[\[}}4],
tile.kernel @search(%x: !tile.view<512xf32> {tile.readonly, tile.align = 16}, %table: !tile.view<1x256xf32> {tile.readonly},
                    %y: !tile.view<512xi32> {tile.align = 16}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<0> : tensor<1x512xi32>
  %high = arith.constant dense<255> : tensor<1x512xi32>
  %two = arith.constant dense<2> : tensor<1x512xi32>
  %a = tile.load %x[%c0] : !tile.view<512xf32> -> tensor<512xf32>
  %row = tile.reshape %a : tensor<512xf32> -> tensor<1x512xf32>
  %found:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %low, %h = %high) -> (tensor<1x512xi32>, tensor<1x512xi32>) {
    %sum = arith.addi %l, %h : tensor<1x512xi32>
    %middle = arith.divsi %sum, %two : tensor<1x512xi32>
    %list = tile.reshape %middle : tensor<1x512xi32> -> tensor<512xi32>
    %value = tile.load_gather %table[%c0] dim 1 by %list : !tile.view<1x256xf32>, tensor<512xi32> -> tensor<1x512xf32>
    %above = arith.cmpf ogt, %row, %value : tensor<1x512xf32>
    %lower = arith.select %above, %middle, %l : tensor<1x512xi1>, tensor<1x512xi32>
    %upper = arith.select %above, %h, %middle : tensor<1x512xi1>, tensor<1x512xi32>
    scf.yield %lower, %upper : tensor<1x512xi32>, tensor<1x512xi32>
  }
  %flat = tile.reshape %found#0 : tensor<1x512xi32> -> tensor<512xi32>
  tile.store %flat, %y[%c0] : tensor<512xi32>, !tile.view<512xi32>
}

// Every third element: one instruction of a warp reads near ones.
// CHECK-LABEL: tile.kernel @thirds
// CHECK: tile.load_gather {{.*}} -> tensor<1x512xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 128], [0, 256]], lane = {{\[\[}}0, 1],
tile.kernel @thirds(%x: !tile.view<1x2048xf32> {tile.readonly, tile.align = 16}, %y: !tile.view<512xf32> {tile.align = 16})
    attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %three = arith.constant dense<3> : tensor<512xi32>
  %count = tile.iota 0 : tensor<512xi32>
  %list = arith.muli %count, %three : tensor<512xi32>
  %value = tile.load_gather %x[%c0] dim 1 by %list : !tile.view<1x2048xf32>, tensor<512xi32> -> tensor<1x512xf32>
  %flat = tile.reshape %value : tensor<1x512xf32> -> tensor<512xf32>
  tile.store %flat, %y[%c0] : tensor<512xf32>, !tile.view<512xf32>
}
