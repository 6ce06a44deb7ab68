//===- Random.h - Random programs -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CONFORM_RANDOM_H
#define KILN_LIB_CONFORM_RANDOM_H

#include "kiln/Conform/Recipes.h"
#include <array>
#include <set>
#include <string>

namespace kiln::conform {

/// In what random programs are simpler than they were drawn.
struct Simpler {
  /// Steps that are left out: what used their results takes the first operand
  /// of the program.
  std::set<unsigned> dropped;
  /// At most these sizes of a tile; 0: as drawn.
  std::array<int64_t, 2> tile = {0, 0};
  /// block: one instance, on views as large as its tile; rows: views without
  /// gaps; type: f32 or i32; plain: no values that hurt; ones: only ones.
  std::set<std::string> ways;
};

/// Adds the random programs from number `first` to `last`: each a few
/// operations that the definitions allow on tiles of one type and shape, with
/// reductions, scans, loops and branches between them. The same numbers give
/// the same programs.
void addRandomPrograms(Plan &plan, uint64_t seed, unsigned first, unsigned last,
                       const Simpler &simpler = {});

/// How many steps a random program has.
constexpr unsigned kRandomSteps = 10;

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_RANDOM_H
