// What passes decide about an operation is in one dictionary, whose entries have the form of their names.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

tile.kernel @right(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] {simt.decided = {exchanged, row = "mma", scratch = array<i64: 0, 16, 32, 16>, emitters = ["one", unit]}} : !tile.view<?xf32> -> tensor<32xf32>
  tile.store %a, %x[%c0] {simt.decided = {cooperative, recipes = [array<i64: 0, 2>]}} : tensor<32xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @form(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'simt.decided' to be a dictionary, found "mma"}}
  %a = tile.load %x[%c0] {simt.decided = "mma"} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @row(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'row' of 'simt.decided' to be a string, found 1 : i64}}
  %a = tile.load %x[%c0] {simt.decided = {row = 1}} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @scratch(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'scratch' of 'simt.decided' to be pairs of numbers that are not negative, found array<i64: 0>}}
  %a = tile.load %x[%c0] {simt.decided = {scratch = array<i64: 0>}} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @recipes(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'recipes' of 'simt.decided' to be a list of arrays of numbers, or of expressions, found [1]}}
  %a = tile.load %x[%c0] {simt.decided = {recipes = [1]}} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @shared_by(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'shared_by' of 'simt.decided' to be a number of at least 2, found 1 : i64}}
  %a = tile.load %x[%c0] {simt.decided = {shared_by = 1}} : !tile.view<?xf32> -> tensor<32xf32>
}

// -----

tile.kernel @other(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected 'rows' of 'simt.decided' to be an entry that passes know, found "mma"}}
  %a = tile.load %x[%c0] {simt.decided = {rows = "mma"}} : !tile.view<?xf32> -> tensor<32xf32>
}
