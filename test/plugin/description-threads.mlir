// What descriptions say of threads: fields print as they parse, and are verified one by one.
// RUN: kiln-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: topology = <cores = 2, lanes = 64, threads_per_block = 1024, grid_axes = 1>
// CHECK-SAME: banks = 64, bank_bytes = 4, lane_phases = [#kiln.lane_phase<bytes = 8, lane_bits = [0, 1, 2]>, #kiln.lane_phase<bytes = 16, lane_bits = [0, 1, 4]>], bounded = true, barriers_order = false>]
// CHECK-SAME: cycles = 16>
// CHECK-SAME: tile_moves = [#kiln.tile_move<name = "rows", kind = load, home = "lds", bits = 16, matrices = 4, held = #kiln.order<row>, addressed = #kiln.order<row>>]
// CHECK-SAME: costs = <shuffle = 30, exchanges = [#kiln.exchange_cost<lane_bits = [0, 1], cost = 5>]>
module attributes {kiln.target = #kiln.target<name = "a", chip = "b",
  topology = <cores = 2, lanes = 64, threads_per_block = 1024, grid_axes = 1>,
  memories = [#kiln.memory<name = "lds", scope = core, kind = explicit, banks = 64, bank_bytes = 4,
    lane_phases = [#kiln.lane_phase<bytes = 8, lane_bits = [0, 1, 2]>, #kiln.lane_phase<bytes = 16, lane_bits = [0, 1, 4]>],
    bounded = true, barriers_order = false>],
  units = [#kiln.unit<name = "t", kind = matrix>],
  matrix_instructions = [#kiln.matrix_instruction<name = "mma", unit = "t", m = <16>, n = <16>, k = <16>,
    lhs = <types = [bf16]>, rhs = <types = [bf16]>, acc = <types = [f32]>, cycles = 16>],
  tile_moves = [#kiln.tile_move<name = "rows", kind = load, home = "lds", bits = 16, matrices = 4,
    held = #kiln.order<row>, addressed = #kiln.order<row>>],
  costs = <shuffle = 30, exchanges = [#kiln.exchange_cost<lane_bits = [0, 1], cost = 5>]>>} {}

// -----
// expected-error @below {{expected lanes to be a power of two, found 48}}
module attributes {a.a = #kiln.topology<lanes = 48>} {}

// -----
// expected-error @below {{expected the threads of a block to be at least the 64 lanes that run in step, found 32}}
module attributes {a.a = #kiln.topology<lanes = 64, threads_per_block = 32>} {}

// -----
// expected-error @below {{expected the threads of a block to be a multiple of the 16 lanes that run in step, found 500}}
module attributes {a.a = #kiln.topology<lanes = 16, threads_per_block = 500>} {}

// -----
// expected-error @below {{expected 1 or 3 axes of a grid, found 2}}
module attributes {a.a = #kiln.topology<grid_axes = 2>} {}

// -----
// expected-error @below {{expected the bytes of a lane phase to be a power of two, found 12}}
module attributes {a.a = #kiln.lane_phase<bytes = 12, lane_bits = [0]>} {}

// -----
// expected-error @below {{expected the lane bits of a lane phase in ascending order from 0 to 15, found 0}}
module attributes {a.a = #kiln.lane_phase<bytes = 16, lane_bits = [1, 0]>} {}

// -----
// expected-error @below {{the lane phase of memory 'm' for accesses of 16 bytes is described twice}}
module attributes {a.a = #kiln.memory<name = "m", scope = core, kind = explicit,
  lane_phases = [#kiln.lane_phase<bytes = 16, lane_bits = [0]>, #kiln.lane_phase<bytes = 16, lane_bits = [1]>]>} {}

// -----
// expected-error @below {{expected the bytes of a bank's word to be a power of two, found 3}}
module attributes {a.a = #kiln.memory<name = "m", scope = core, kind = explicit, bank_bytes = 3>} {}

// -----
// expected-error @below {{expected the matrices of a tile move to be a power of two, found 3}}
module attributes {a.a = #kiln.tile_move<name = "m", kind = load, home = "lds", bits = 16, matrices = 3, held = 1, addressed = 1>} {}

// -----
// expected-error @below {{tile move 'm' refers to memory 'lds', which the description does not have}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b",
  tile_moves = [#kiln.tile_move<name = "m", kind = load, home = "lds", bits = 16, held = 1, addressed = 1>]>} {}

// -----
// expected-error @below {{expected the cost of a barrier to be at least 0, found -1}}
module attributes {a.a = #kiln.costs<barrier = -1>} {}

// -----
// expected-error @below {{expected the lane bits of an exchange}}
module attributes {a.a = #kiln.exchange_cost<lane_bits = [], cost = 1>} {}
