// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hints for the target that a kernel is compiled for have a known name and form; those for others are left alone.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia},tile.kernel(tile-make-persistent))'

// expected-error @below {{'tile.kernel' op expected hints of 'nvidia' to be 'persistent', found 'presistent', did you mean 'persistent'}}
tile.kernel @misspelled(%n: i32) attributes {hints = {nvidia = {presistent = true}}} {
  tile.print "n: " %n : i32
}

// -----

// expected-error @below {{'tile.kernel' op expected hint 'persistent' to be true or false, found 1 : i64}}
tile.kernel @number(%n: i32) attributes {hints = {nvidia = {persistent = 1}}} {
  tile.print "n: " %n : i32
}

// -----

tile.kernel @other(%n: i32) attributes {hints = {mine = {presistent = true}}} {
  tile.print "n: " %n : i32
}
