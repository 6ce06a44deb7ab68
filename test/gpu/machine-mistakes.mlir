// Fields of a description that the GPU code generator would pass over, or take for another value, are errors that name them.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))'

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {split_barriers, cluster = 2 : i64, few_bytes = true, note = "mine", bulk_copies = {rank = 3 : i64, extent = 64 : i64, align = 16 : i64, row = 128 : i64, chunk = 16 : i64}}>} {
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {split_barriers = false}>} {
// expected-error @below {{in the description of chip 'one': expected 'split_barriers' in extra to stand without a value; leave it out where the chip has no such property, found false}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {few_bytes = 7 : i64}>} {
// expected-error @below {{expected 'few_bytes' in extra to stand without a value; leave it out where the chip has no such property, found 7}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {cluster = "two"}>} {
// expected-error @below {{expected 'cluster' in extra to be an integer of at least 0, found "two"}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {row_copies = [3, 5]}>} {
// expected-error @below {{expected 'row_copies' in extra to be an integer of at least 0, found [3, 5]}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {bulk_copies = {rank = 2 : i64}}>} {
// expected-error @below {{expected 'bulk_copies' in extra to have 'extent', an integer of at least 1, found {rank = 2 : i64}}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {producer = true}>} {
// expected-error @below {{in the description of chip 'one': expected 'producer' in 'extra' to be a dictionary, found true}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {scaled = {nosuch = 32 : i64}}>} {
// expected-error @below {{'scaled' in 'extra' names instruction "nosuch", which the description does not have}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], costs = <exchanges = [#kiln.exchange_cost<lane_bits = [7], cost = 10>]>>} {
// expected-error @below {{expected an exchange to name bits 0 to 3 of the 16 lanes, found bit 7}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152, lane_phases = [#kiln.lane_phase<bytes = 16, lane_bits = [0, 9]>]>]>} {
// expected-error @below {{expected a lane phase to name bits 0 to 3 of the 16 lanes, found bit 9}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152, banks = 3>]>} {
// expected-error @below {{expected the banks of 'pool' to be a power of two, found 3}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {tall_attention = false}>} {
// expected-error @below {{expected 'tall_attention' in extra to stand without a value; leave it out where the chip has no such property, found false}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {cluster = 1180591620717411303424 : i128}>} {
// expected-error @below {{expected 'cluster' in extra to be an integer of at least 0, found 1180591620717411303424 : i128}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {launch_ns = 5 : ui8}>} {
// expected-error @below {{expected 'launch_ns' in extra to be an integer of at least 0, found 5 : ui8}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {most_extent = -1 : si64}>} {
// expected-error @below {{expected 'most_extent' in extra to be an integer of at least 0, found -1 : si64}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {row_copies = true}>} {
// expected-error @below {{expected 'row_copies' in extra to be an integer of at least 0, found true}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one", topology = <lanes = 16, threads_per_block = 256>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>], extra = {producer = {warps = 4 : i64, registers = 40 : i64, granule = 8 : i64}}>} {
// expected-error @below {{expected 'producer' in extra to have 'most', an integer of at least 1, found {granule = 8 : i64, registers = 40 : i64, warps = 4 : i64}}}
tile.kernel @k(%x: !tile.view<?xf32>) {
}
}
