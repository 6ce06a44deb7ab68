// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chips that the family cannot serve, and numbers that a chip does not have.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=16}))'

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "none",
  memories = [#kiln.memory<name = "l1", scope = core, kind = cached>]>} {
// expected-error @+1 {{expected one explicit memory of scope core, which the threads of a block share, in the description of chip 'none', found none}}
tile.kernel @none() {}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "two",
  memories = [#kiln.memory<name = "near", scope = core, kind = explicit>,
    #kiln.memory<name = "far", scope = core, kind = explicit>]>} {
// expected-error @+1 {{expected one explicit memory of scope core, which the threads of a block share, in the description of chip 'two', found 'near' and 'far'}}
tile.kernel @two() {}
}

// -----

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "small", topology = <lanes = 64, threads_per_block = 512>,
  memories = [#kiln.memory<name = "lds", scope = core, kind = explicit>]>} {
// expected-error @+1 {{unsupported: 16 warps of 64 threads, expected at most 8 for a block}}
tile.kernel @small() {}
}
