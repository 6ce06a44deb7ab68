// Dictionaries in `extra` that are read by the names of their entries have no others, and entries of the right kinds.
// RUN: kiln-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'operand_copies' in 'extra' has no entry 'treads', did you mean 'threads'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {operand_copies = {treads = 32}}>} {}

// -----
// expected-error @below {{expected 'together' of 'operand_copies' in 'extra' to be a positive number, found -1}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {operand_copies = {together = -1}}>} {}

// -----
// expected-error @below {{expected 'whole' of 'operand_copies' in 'extra' to be a positive number, found "all"}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {operand_copies = {whole = "all"}}>} {}

// -----
// expected-error @below {{expected 'memory' of 'operand_copies' in 'extra' to be a positive number, found 0x7FF0000000000000 : f64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {operand_copies = {memory = 0x7FF0000000000000 : f64}}>} {}

// -----
// expected-error @below {{expected 'line' of 'operand_copies.few' in 'extra' to be a positive number, found 0 : i64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {operand_copies = {few = {line = 0}}}>} {}

// -----
// expected-error @below {{'operand_copies.few' in 'extra' has no entry 'rows'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {operand_copies = {few = {rows = 0}}}>} {}

// -----
// expected-error @below {{expected 'operand_copies' in 'extra' to be a dictionary, found 4 : i64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {operand_copies = 4}>} {}

// -----
// expected-error @below {{expected 'operand_copies.few' in 'extra' to be a dictionary, found unit}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {operand_copies = {few}}>} {}

// -----
// expected-error @below {{'matmul_costs' in 'extra' has no entry 'fragment', did you mean 'fragments'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {matmul_costs = {fragment = 1}}>} {}

// -----
// expected-error @below {{'matmul_costs.one_step' in 'extra' has no entry 'sharp'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {matmul_costs = {one_step = {sharp = 1}}}>} {}

// -----
// expected-error @below {{expected 'seen' of 'matmul_costs.stored' in 'extra' to be a number of at least 0, found -5.000000e-01 : f64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {matmul_costs = {stored = {seen = -0.5}}}>} {}

// -----
// expected-error @below {{expected 'matmul_costs.parts' in 'extra' to be a dictionary, found 2 : i64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {matmul_costs = {parts = 2}}>} {}

// -----
// expected-error @below {{'matmul_costs.parts' in 'extra' has no entry 'barriers', did you mean 'barrier'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {matmul_costs = {parts = {barriers = 1}}}>} {}

// -----
// expected-error @below {{expected 'share' of 'matmul_costs.parts' in 'extra' to be a positive number, found 0 : i64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", extra = {matmul_costs = {parts = {share = 0}}}>} {}

// -----
// expected-error @below {{expected 'rank' of 'bulk_copies' in 'extra' to be an integer of at least 1, found 5.000000e+00 : f64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "gpu", extra = {bulk_copies = {rank = 5.0}}>} {}

// -----
// expected-error @below {{'producer' in 'extra' has no entry 'warp', did you mean 'warps'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "gpu", extra = {producer = {warp = 4}}>} {}

// -----
// expected-error @below {{'scaled' in 'extra' names instruction "mma", which the description does not have}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "gpu", extra = {scaled = {mma = 32}}>} {}

// -----
// expected-error @below {{expected 'loss' of 'operand_copies' in 'extra' to be a number of at least 0, found false}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "gpu", extra = {operand_copies = {loss = false}}>} {}

// -----
// expected-error @below {{expected 'lines' of 'operand_copies' in 'extra' to be a positive number, found 0 : i64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "gpu", extra = {operand_copies = {lines = 0}}>} {}

// -----
// expected-error @below {{expected 'threads' of 'operand_copies' in 'extra' to be a positive number, found 5 : ui8}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "gpu", extra = {operand_copies = {threads = 5 : ui8}}>} {}

// -----
// expected-error @below {{expected 'rank' of 'bulk_copies' in 'extra' to be an integer of at least 1, found 1180591620717411303424 : i128}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "gpu", extra = {bulk_copies = {rank = 1180591620717411303424 : i128}}>} {}

// -----
// expected-error @below {{expected 'rank' of 'bulk_copies' in 'extra' to be an integer of at least 1, found true}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "gpu", extra = {bulk_copies = {rank = true}}>} {}

// -----
// Another family may have a `producer` of its own, and whole numbers are numbers.
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "mine", extra = {producer = "me", operand_copies = {threads = 32,
  rest = 0, few = {loss = 0.5}}, matmul_costs = {fragments = 1, stored = {access = 64}, one_step = {overlap = 2},
  parts = {barrier = 0, write = 16, read = 0.5, launch = 0, share = 1}}}>} {}
