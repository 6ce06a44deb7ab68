// RUN: kiln-opt %s -split-input-file -verify-diagnostics

// kernel_c2
// expected-error@+1 {{expected parameter 0 to be a view, a pointer or a scalar, found 'tensor<4xf32>'}}
tile.kernel @k(%x: tensor<4xf32>) {
}

// -----

// kernel_c3
// expected-error@+1 {{expected fact 'align' of parameter 0 to be a power of two of type i64, found 48 : i64}}
tile.kernel @k(%x: !tile.view<?xf32> {tile.facts = {align = 48 : i64}}) {
}

// -----

// kernel_c3
// expected-error@+1 {{expected fact 'readonyl' of parameter 0 to be one of 'readonly', 'noalias', 'align', 'size_div', 'stride_div', 'contiguity', 'divisibility' and 'constancy', found unit}}
tile.kernel @k(%x: !tile.view<?xf32> {tile.facts = {readonyl}, other.fact}) {
}

// -----

// kernel_c3
// expected-error@+1 {{expected fact 'readonly' of parameter 0 on a view or pointer, found unit on 'f32'}}
tile.kernel @k(%x: f32 {tile.facts = {readonly}}) {
}

// -----

// kernel_c3
// expected-error@+1 {{expected fact 'size_div' of parameter 0 to be one positive integer per dimension of a view}}
tile.kernel @k(%x: !tile.view<?x?xf32> {tile.facts = {size_div = array<i64: 4>}}) {
}

// -----

// kernel_c3
// expected-error@+1 {{expected facts of parameter 0 in a dictionary 'tile.facts', found 'tile.restrict' = unit}}
tile.kernel @k(%x: !tile.view<?xf32> {tile.restrict}) {
}

// -----

// kernel_c4
// expected-error@+1 {{expected hints of 'cpu' to be a dictionary, found 1 : i64}}
tile.kernel @k() attributes {hints = {cpu = 1}} {
}

// -----

// expected-error@+1 {{expected a kernel without results, found 1}}
tile.kernel @k() -> f32 {
}

// -----

// expected-error@+1 {{expected a kernel to have a body}}
tile.kernel @k()

// -----

tile.kernel @k() {
  // program_id_c1
  // expected-error@+1 {{expected 1 to 3 results, found 4}}
  %i:4 = tile.program_id : index, index, index, index
}

// -----

// expected-error@+1 {{expected a view of floats, signless integers or index, found 'tensor<4xf32>'}}
tile.kernel @k(%x: !tile.view<?xtensor<4xf32>>) {
}

// -----

// expected-error@+1 {{expected one stride per dimension: 2, found 1}}
tile.kernel @k(%x: !tile.view<?x?xf32, strides = [1]>) {
}

// -----

// expected-error@+1 {{'tile.kernel' op attribute 'numerics' failed to satisfy constraint: The numerics mode of a kernel}}
tile.kernel @k() attributes {numerics = 4} {
}

// -----

// expected-error@+1 {{expected 'sym_name' in its own place, found it among the attributes}}
tile.kernel @k() attributes {sym_name = "z"} {
}

// -----

tile.kernel @num_programs_c1() {
  // expected-error@+1 {{expected 1 to 3 results, found 4}}
  %x, %y, %z, %w = tile.num_programs : index, index, index, index
}

// -----

func.func @return_place() {
  // expected-error@+1 {{expects parent op 'tile.kernel'}}
  tile.return
}
