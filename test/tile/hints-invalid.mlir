// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @place(%c: i1) {
  // expected-error@+1 {{expected fact 'contiguity' on an operation with one result or one that stores a tile}}
  tile.assert %c, "message" {tile.facts = {contiguity = array<i64: 1>}} : i1
}

// -----

tile.kernel @rank(%x: f32) {
  // expected-error@+1 {{expected fact 'divisibility' to be an array of 2 positive integers, found array<i64: 16>}}
  %a = tile.splat %x {tile.facts = {divisibility = array<i64: 16>}} : tensor<4x4xf32>
}

// -----

tile.kernel @positive(%x: f32) {
  // expected-error@+1 {{expected fact 'constancy' to be an array of 1 positive integers, found array<i64: 0>}}
  %a = tile.splat %x {tile.facts = {constancy = array<i64: 0>}} : tensor<4xf32>
}

// -----

tile.kernel @loop(%x: f32) {
  // expected-error@+1 {{expected '#tile.loop_hints' on 'scf.for' or 'scf.while'}}
  %a = tile.splat %x {tile.hints = #tile.loop_hints<stages = 2>} : tensor<4xf32>
}

// -----

tile.kernel @loop_type(%n: index) {
  // expected-error@+1 {{expected 'tile.hints' to be '#tile.loop_hints' or '#tile.kernel_hints', found 3 : i64}}
  scf.for %i = %n to %n step %n {
  } {tile.hints = 3 : i64}
}

// -----

tile.kernel @loop_number(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error@+1 {{expected numbers of at least 0, found -1}}
  } {tile.hints = #tile.loop_hints<stages = -1>}
}

// -----

// expected-error@+1 {{expected 'tile.hints' to be '#tile.loop_hints' or '#tile.kernel_hints', found unit}}
tile.kernel @launch_type() attributes {tile.hints} {}

// -----

tile.kernel @launch_place(%x: f32) {
  // expected-error@+1 {{expected '#tile.kernel_hints' on 'tile.kernel'}}
  %a = tile.splat %x {tile.hints = #tile.kernel_hints<warps = 4>} : tensor<4xf32>
}

// -----

// expected-error@+1 {{expected a power of two as 'threads_per_warp', found 33}}
tile.kernel @threads() attributes {tile.hints = #tile.kernel_hints<threads_per_warp = 33>} {}

// -----

// expected-error@+1 {{expected fact 'divisibility' of parameter 0 to be a positive i64 on an integer, found 16 : i64 on '!tile.ptr<f32>'}}
tile.kernel @divisibility(%p: !tile.ptr<f32> {tile.facts = {divisibility = 16 : i64}}) {}

// -----

tile.kernel @word(%p: !tile.ptr<f32>) {
  // expected-error@+1 {{expected a hint for 'cache', found 'often'}}
  %x = tile.load_ptr %p cache often : !tile.ptr<f32> -> f32
}

// -----

tile.kernel @facts(%x: f32) {
  // expected-error@+1 {{expected 'tile.facts' to be a dictionary, found 1 : i64}}
  %a = tile.splat %x {tile.facts = 1} : tensor<4xf32>
}

// -----

tile.kernel @fact(%x: f32) {
  // expected-error@+1 {{expected facts of an operation to be 'contiguity', 'divisibility', 'constancy' and a type as 'combined_as', found 'readonly' = unit}}
  %a = tile.splat %x {tile.facts = {readonly}} : tensor<4xf32>
}

// -----

func.func @combined_nothing(%x: tensor<8xi8>) -> tensor<8xi8> {
  // expected-error@+1 {{expected fact 'combined_as' to be a float of 8 bits on an operation that combines bytes in memory, found f8E5M2}}
  %0 = arith.addi %x, %x {tile.facts = {combined_as = f8E5M2}} : tensor<8xi8>
  return %0 : tensor<8xi8>
}

// -----

tile.kernel @combined_wide(%x: !tile.view<?xi8>, %a: i8) {
  %i = tile.program_id : index
  %t = tensor.splat %a : tensor<8xi8>
  // expected-error@+1 {{expected fact 'combined_as' to be a float of 8 bits on an operation that combines bytes in memory, found f64}}
  tile.store %t, %x[%i] combine add {tile.facts = {combined_as = f64}} : tensor<8xi8>, !tile.view<?xi8>
}
