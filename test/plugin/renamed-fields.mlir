// A field of a description that is not there is an error at its place, which says what there is, and for one
// that had another name in an older version what it is called now.
// RUN: kiln-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected field 'matrix_instructions' of #kiln.target, found 'instructions', as it was called before}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", instructions = []>} {}

// -----
// expected-error @+2 {{expected '#kiln.matrix_instruction', found '#kiln.instruction', as it was called before}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", matrix_instructions = [
  #kiln.instruction<name = "mma", unit = "t">]>} {}

// -----
// expected-error @+3 {{expected field 'elementwise_rows' of #kiln.tiles, found 'rows', as it was called before}}
// expected-error @+2 {{failed to parse Kiln_TargetAttr parameter 'tiles'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", tiles = <
  rows = 4, cols = 8>>} {}

// -----
// Every field that has another name now.
// expected-error @below {{expected field 'elementwise_cols' of #kiln.tiles, found 'cols'}}
module attributes {a.a = #kiln.tiles<cols = 8>} {}
// -----
// expected-error @below {{expected field 'reduction_elements' of #kiln.tiles, found 'row_elements'}}
module attributes {a.a = #kiln.tiles<row_elements = 8>} {}
// -----
// expected-error @below {{expected field 'reduction_rows' of #kiln.tiles, found 'row_rows'}}
module attributes {a.a = #kiln.tiles<row_rows = 8>} {}
// -----
// expected-error @below {{expected field 'contraction' of #kiln.tiles, found 'contract'}}
module attributes {a.a = #kiln.tiles<contract = []>} {}

// -----
// What nothing was ever called.
// expected-error @+2 {{expected a field of #kiln.topology, one of: cores, clusters, threads, frequency, links, lanes, threads_per_block, grid_axes, found 'frequenzy'}}
module attributes {a.a = #kiln.topology<cores = 2, // a comment, with = and >
  frequenzy = 100>} {}

// -----
// expected-error @below {{expected each field of #kiln.memory once, found 'size' twice}}
module attributes {a.a = #kiln.memory<name = "m", scope = core, kind = cached, size = 1, size = 2>} {}

// -----
// A field is told from what a value holds.
module attributes {a.a = #kiln.target<name = "a", chip = "b", deviations = ["rows = 1, >cols = \"2\""],
  extra = {rows = 1 : i64, f = affine_map<(d0) -> (d0)>, g = () -> i32, layout = #kiln.order<row>}>,
  a.b = #kiln.operand<layout = #kiln.order<col>>} {}

// -----
// expected-error @below {{expected the layout of an operand to be an attribute such as #kiln.order<row>, found "row"}}
module attributes {a.a = #kiln.operand<types = [f32], layout = "row">} {}
