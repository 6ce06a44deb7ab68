// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of arguments and results of functions has the form of its name, whichever dialect the function is of.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @right(%x: tensor<?x4xf32> {kiln.name = "x", kiln.dims = ["rows", ""], kiln.domain = "nonnegative"},
                 %i: tensor<4xi32> {kiln.range = array<i64: 0, 7>, kiln.unsigned, kiln.own = 1}) -> (tensor<4xi32> {kiln.name = "y", kiln.unsigned}) {
  return %i : tensor<4xi32>
}

// -----

// expected-error@+1 {{expected 'kiln.name' of argument 0 to be a string, found 1 : i64}}
func.func private @name(tensor<4xf32> {kiln.name = 1})

// -----

// expected-error@+1 {{expected 'kiln.dims' of argument 1 to be a list of strings, found ["a", 1]}}
func.func private @dims(tensor<4xf32>, tensor<?x4xf32> {kiln.dims = ["a", 1]})

// -----

// expected-error@+1 {{expected 'kiln.unsigned' of result 0 to be a unit attribute, found true}}
func.func private @unsigned() -> (tensor<4xi32> {kiln.unsigned = true})

// -----

// expected-error@+1 {{expected 'kiln.domain' of argument 0 to be "nonzero", "nonnegative" or "positive", found "negative"}}
func.func private @domain(tensor<4xf32> {kiln.domain = "negative"})

// -----

// expected-error@+1 {{expected 'kiln.range' of argument 0 to be two integers, found 7 : i64}}
func.func private @range(tensor<4xi32> {kiln.range = 7})

// -----

// expected-error@+1 {{expected 'kiln.range' of argument 0 to be two integers, found array<i64: 1>}}
tile.kernel @kernel(%n: index {kiln.range = array<i64: 1>}) {
  tile.return
}
