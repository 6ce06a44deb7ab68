// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of arguments and results of functions is in one dictionary, whose entries have the form of their names, whichever
// dialect the function is of.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @right(%x: tensor<?x4xf32> {kiln.argument = {name = "x", dims = ["rows", ""], domain = "nonnegative", donated}},
                 %i: tensor<4xi32> {kiln.argument = {range = array<i64: 0, 7>, unsigned}})
    -> (tensor<4xi32> {kiln.argument = {name = "y", unsigned}}) {
  return %i : tensor<4xi32>
}

// -----

// expected-error@+1 {{expected 'name' of argument 0 to be a string, found 1 : i64}}
func.func private @name(tensor<4xf32> {kiln.argument = {name = 1}})

// -----

// expected-error@+1 {{expected 'dims' of argument 1 to be a list of strings, found ["a", 1]}}
func.func private @dims(tensor<4xf32>, tensor<?x4xf32> {kiln.argument = {dims = ["a", 1]}})

// -----

// expected-error@+1 {{expected 'unsigned' of result 0 to be a unit attribute, found true}}
func.func private @unsigned() -> (tensor<4xi32> {kiln.argument = {unsigned = true}})

// -----

// expected-error@+1 {{expected 'domain' of argument 0 to be "nonzero", "nonnegative" or "positive", found "negative"}}
func.func private @domain(tensor<4xf32> {kiln.argument = {domain = "negative"}})

// -----

// expected-error@+1 {{expected 'range' of argument 0 to be two integers, found 7 : i64}}
func.func private @range(tensor<4xi32> {kiln.argument = {range = 7}})

// -----

// expected-error@+1 {{expected 'range' of argument 0 to be two integers, found array<i64: 1>}}
tile.kernel @kernel(%n: index {kiln.argument = {range = array<i64: 1>}}) {
  tile.return
}

// -----

// expected-error@+1 {{expected 'donated' of argument 0 to be a unit attribute or "written", found "read"}}
func.func private @donated(tensor<4xf32> {kiln.argument = {donated = "read"}})

// -----

// expected-error@+1 {{expected entries of 'kiln.argument' of argument 0 to be among name, dims, unsigned, domain, range, donated, found 'nmae'}}
func.func private @entry(tensor<4xf32> {kiln.argument = {nmae = "x"}})

// -----

// expected-error@+1 {{expected 'kiln.argument' of argument 0 to be a dictionary, found "x"}}
func.func private @form(tensor<4xf32> {kiln.argument = "x"})

// -----

// expected-error@+1 {{expected of dialect 'kiln' the attribute 'kiln.argument' on argument 0, found 'kiln.name'}}
func.func private @other(tensor<4xf32> {kiln.name = "x"})
