// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choosing among the cases of a suite.
#ifndef KILN_SDK_CONFORM_SELECT_H
#define KILN_SDK_CONFORM_SELECT_H

#include "Suite.h"

namespace kiln::conform {

struct Selection {
  std::string level, profile, filter;
  bool isShuffled = false; ///< programs in a random order, for a sample
  uint64_t cases = 0;      ///< so many, chosen by the seed; 0: all
  uint64_t seed = 1;
};

/// The programs and calls that are chosen, in modules of `perModule`.
runtime::Expected<Suite> select(const Suite &suite, const Selection &selection,
                                size_t perModule = 48);

/// The text of a module, a part for each program.
std::vector<std::string> cutText(const Module &module);

/// The names of profiles, with the number of cases of each.
std::vector<std::pair<std::string, size_t>> profilesOf(const Suite &suite);

} // namespace kiln::conform

#endif
