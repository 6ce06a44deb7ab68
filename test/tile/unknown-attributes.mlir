// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attribute with the prefix of a dialect that the dialect does not list is an error, at the operation. Other prefixes are
// those of plug-ins.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @hint(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.for' op expected an attribute that dialect 'tile' has (hints are tile.facts, tile.hints), found 'tile.loops'}}
  scf.for %i = %c0 to %n step %c1 {
  } {tile.loops = #tile.loop_hints<stages = 4>}
  return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected an attribute that dialect 'tile' has}}
tile.kernel @kernel() attributes {tile.warps = 4 : i64} {}

// -----

// expected-error@+1 {{'tile.kernel' op expected an attribute that dialect 'stage' has, found 'stage.dept'}}
tile.kernel @stage() attributes {stage.dept = 4 : i64} {}

// -----

// expected-error@+1 {{'tile.kernel' op expected an attribute that dialect 'simt' has, found 'simt.lane'}}
tile.kernel @simt() attributes {simt.lane = 32 : i64} {}

// -----

// expected-error@+1 {{'tile.kernel' op expected an attribute that dialect 'cpu' has, found 'cpu.scratch'}}
tile.kernel @cpu() attributes {cpu.scratch = 32 : i64} {}

// -----

tile.kernel @vendor() attributes {mine.fast, warps = 4 : i64} {}
