// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole of kiln-conform, behind its options.
#ifndef KILN_SDK_CONFORM_CONFORM_H
#define KILN_SDK_CONFORM_CONFORM_H

#include "Report.h"

namespace kiln::conform {

struct Options {
  std::string target;
  std::string level, profile, filter;
  std::vector<std::string> loadTargets;
  std::vector<std::string> declarationFiles;
  std::string json, html; ///< files; empty: none
  std::string prepare;    ///< only prepares, into this folder
  std::string run;        ///< only runs what this folder holds
  std::string keep;       ///< where packages are left, else a temporary folder
  bool list = false;
  uint64_t seed = 1;
  unsigned seeds = 1; ///< so many from `seed` on
  double budget = 0;  ///< seconds; 0: everything
  uint64_t cases = 0; ///< a sample of so many; 0: everything
  double caseSeconds = 60;
  unsigned jobs = 0;     ///< 0: one per core
  unsigned together = 1; ///< modules that a process runs
  unsigned random = 0;   ///< random programs in place of the others
  bool quiet = false;    ///< no progress bar
};

/// The exit status: 0; 1 after failures; 2 for wrong usage.
int conform(const Options &options);

} // namespace kiln::conform

#endif
