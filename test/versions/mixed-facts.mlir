// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts under the names of older versions join those that stand in the dictionary; neither is lost.
// RUN: kiln-opt %s | FileCheck %s
// CHECK: tile.kernel @mixed(%arg0: !tile.view<64xf32> {tile.facts = {align = 16 : i64, readonly}}
tile.kernel @mixed(%x: !tile.view<64xf32> {tile.facts = {readonly}, tile.align = 16 : i64}) {
  // CHECK: arith.addi {{.*}} {tile.facts = {contiguity = array<i64: 64>, divisibility = array<i64: 4>}}
  %i = tile.iota 0 : tensor<64xi32>
  %j = arith.addi %i, %i {tile.facts = {contiguity = array<i64: 64>}, tile.divisibility = array<i64: 4>} : tensor<64xi32>
}
