// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes decide about loops and accesses, as attributes with a form of their own.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @slots
tile.kernel @slots(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: {stage.decided = #stage.slots<3>}
  scf.for %i = %c0 to %c1 step %c1 {
  } {stage.decided = #stage.slots<3>}
  // CHECK: {stage.decided = #stage.slots<4, ahead = 2>}
  scf.for %i = %c0 to %c1 step %c1 {
  } {stage.decided = #stage.slots<4, ahead = 2>}
  // CHECK: {stage.decided = #stage.clone<0, first>}
  %a = tile.load %x[%c0] {stage.decided = #stage.clone<0, first>} : !tile.view<?xf32> -> tensor<32xf32>
  // CHECK: {stage.decided = #stage.clone<0>}
  %b = tile.load %x[%c0] {stage.decided = #stage.clone<0>} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @many() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
  // expected-error@+1 {{expected at least 1 slot, and fewer that are filled ahead, found 2 and 2}}
  } {stage.decided = #stage.slots<2, ahead = 2>}
}

// -----

tile.kernel @none() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
  // expected-error@+1 {{expected at least 1 slot, and fewer that are filled ahead, found 0 and -1}}
  } {stage.decided = #stage.slots<0>}
}

// -----

tile.kernel @elsewhere(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'stage.decided' to be '#stage.home', '#stage.clone', or '#stage.slots' on 'scf.for', found #stage.slots<3>}}
  %a = tile.load %x[%c0] {stage.decided = #stage.slots<3>} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @number(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'stage.decided' to be '#stage.home', '#stage.clone', or '#stage.slots' on 'scf.for', found 0 : i64}}
  %a = tile.load %x[%c0] {stage.decided = 0 : i64} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @old(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected an attribute that dialect 'stage' has, found 'stage.again'}}
  %a = tile.load %x[%c0] {stage.again = 0 : i64} : !tile.view<?xf32> -> tensor<32xf32>
}
