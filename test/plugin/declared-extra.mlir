// Two plug-ins declare one dictionary in `extra` with different entries: descriptions may have those of both, and no others.
// RUN: rm -rf %t && mkdir -p %t
// RUN: for entry in rows lanes; do %plugin_cxx -DENTRY="\"$entry\"" %S/Inputs/declares.cpp -o %t/$entry.so || exit 1; done
// RUN: kiln-opt %s --load-target=%t/rows.so --load-target=%t/lanes.so -split-input-file -verify-diagnostics

module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "mine", extra = {limits = {lanes = 8, rows = 4, size = 2}}>} {}

// -----
// Another family has no such dictionary.
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "other", extra = {limits = {columns = 8}}>} {}

// -----
// expected-error @below {{'limits' in 'extra' has no entry 'lane', did you mean 'lanes'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "mine", extra = {limits = {lane = 8}}>} {}

// -----
// expected-error @below {{expected 'rows' of 'limits' in 'extra' to be an integer of at least 1, found 0 : i64}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b", family = "mine", extra = {limits = {rows = 0}}>} {}
