//===- Random.h - Random programs -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CONFORM_RANDOM_H
#define KILN_LIB_CONFORM_RANDOM_H

#include "kiln/Conform/Recipes.h"
#include <set>

namespace kiln::conform {

/// Adds the random programs from number `first` to `last`: each a few
/// operations that the definitions allow on tiles of one type and shape, with
/// reductions, scans, loops and branches between them. Steps in `dropped` are
/// left out: what used their results takes the first operand of the program.
/// The same numbers give the same programs.
void addRandomPrograms(Plan &plan, uint64_t seed, unsigned first, unsigned last,
                       const std::set<unsigned> &dropped = {});

/// How many steps a random program has.
constexpr unsigned kRandomSteps = 10;

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_RANDOM_H
