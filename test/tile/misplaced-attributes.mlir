// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attribute of a dialect where the dialect says nothing is an error at the operation, whichever dialect the operation is of.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

program.func @right(%x: memref<8xf32> {tile.facts = {align = 64 : i64}}) {
  program.return
}

// -----

// expected-error@+1 {{expected facts of parameter 0 in a dictionary 'tile.facts', found 'tile.readonly' = unit}}
program.func @old(%x: memref<8xf32> {tile.readonly}) {
  program.return
}

// -----

// expected-error@+1 {{expected fact 'readonly' of parameter 0 on a kernel ('align' alone is one of buffers), found unit on 'memref<8xf32>'}}
program.func @buffer(%x: memref<8xf32> {tile.facts = {readonly}}) {
  program.return
}

// -----

// expected-error@+1 {{expected fact 'align' of parameter 0 to be a power of two of type i64, found 48 : i64}}
program.func @form(%x: memref<8xf32> {tile.facts = {align = 48 : i64}}) {
  program.return
}

// -----

// expected-error@+1 {{expected 'tile.facts' on parameters of 'tile.kernel' and 'program.func', found it on parameter 1}}
func.func private @tensor(tensor<8xf32>, tensor<8xf32> {tile.facts = {align = 64 : i64}})

// -----

// expected-error@+1 {{expected no attribute of dialect 'tile' on result 0, found 'tile.facts'}}
func.func private @result() -> (tensor<8xf32> {tile.facts = {align = 64 : i64}})

// -----

// expected-error@+1 {{expected no attribute of dialect 'stage' on argument 0, found 'stage.decided'}}
func.func private @stage(tensor<8xf32> {stage.decided = #stage.home<keep>})

// -----

// expected-error@+1 {{expected no attribute of dialect 'simt' on argument 0, found 'simt.block'}}
llvm.func @simt(!llvm.ptr {simt.block})

// -----

// expected-error@+1 {{expected no attribute of dialect 'cpu' on result 0, found 'cpu.product'}}
func.func private @cpu() -> (tensor<8xf32> {cpu.product})

// -----

// expected-error@+1 {{expected no attribute of dialect 'prim' on argument 0, found 'prim.donated'}}
func.func private @prim(tensor<8xf32> {prim.donated})

// -----

// expected-error@+1 {{expected no attribute of dialect 'program' on argument 0, found 'program.written'}}
func.func private @program(tensor<8xf32> {program.written})

// -----

func.func @operations(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected an attribute that dialect 'prim' has, found 'prim.device'}}
  %0 = prim.exp %x {prim.device = "cpu"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{expected an attribute that dialect 'program' has, found 'program.device'}}
program.func @device() attributes {program.device = "cpu"} {
  program.return
}

// -----

// expected-error@+1 {{expected an attribute that dialect 'kiln' has, found 'kiln.note'}}
module attributes {kiln.note} {}

// -----

// expected-error@+1 {{expected an attribute that dialect 'kiln' has, found 'kiln.argument'}}
func.func private @argument(tensor<8xf32>) attributes {kiln.argument = {name = "x"}}

// -----

// expected-error@+1 {{expected 'kiln.spec' on a module}}
func.func private @spec(tensor<8xf32>) attributes {kiln.spec = "cpu"}

// -----

func.func @block(%x: f32) -> f32 {
  // expected-error@+1 {{expected 'simt.block' on a function}}
  %0 = arith.addf %x, %x {simt.block = #simt.thread_block<threads = 1, shared_bytes = 0>} : f32
  return %0 : f32
}
