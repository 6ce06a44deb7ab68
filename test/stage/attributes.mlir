// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes decide about loops and accesses, as attributes with a form of their own.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @slots
tile.kernel @slots(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: {stage.slots = #stage.slots<3>}
  scf.for %i = %c0 to %c1 step %c1 {
  } {stage.slots = #stage.slots<3>}
  // CHECK: {stage.slots = #stage.slots<4, ahead = 2>}
  scf.for %i = %c0 to %c1 step %c1 {
  } {stage.slots = #stage.slots<4, ahead = 2>}
  // CHECK: {stage.clone = #stage.clone<0, first>}
  %a = tile.load %x[%c0] {stage.clone = #stage.clone<0, first>} : !tile.view<?xf32> -> tensor<32xf32>
  // CHECK: {stage.clone = #stage.clone<0>}
  %b = tile.load %x[%c0] {stage.clone = #stage.clone<0>} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @many() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
  // expected-error@+1 {{expected at least 1 slot, and fewer that are filled ahead, found 2 and 2}}
  } {stage.slots = #stage.slots<2, ahead = 2>}
}

// -----

tile.kernel @none() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
  // expected-error@+1 {{expected at least 1 slot, and fewer that are filled ahead, found 0 and -1}}
  } {stage.slots = #stage.slots<0>}
}

// -----

tile.kernel @elsewhere(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'stage.slots' on 'scf.for' to be '#stage.slots', found #stage.slots<3>}}
  %a = tile.load %x[%c0] {stage.slots = #stage.slots<3>} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @number(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'stage.clone' to be '#stage.clone', found 0 : i64}}
  %a = tile.load %x[%c0] {stage.clone = 0 : i64} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @old(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected an attribute that dialect 'stage' has, found 'stage.again'}}
  %a = tile.load %x[%c0] {stage.again = 0 : i64} : !tile.view<?xf32> -> tensor<32xf32>
}
