// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What came of the cases: as text, as JSON, as a page.
#ifndef KILN_SDK_CONFORM_REPORT_H
#define KILN_SDK_CONFORM_REPORT_H

#include "Execute.h"
#include <map>

namespace kiln::conform {

/// A failure that the target declares: cases whose names match fail, and the
/// hardware is why. A pattern that begins with "sometimes " is of cases that
/// fail with some values alone.
struct Declaration {
  std::string pattern, reason;
};

/// Everything that reports say.
struct Results {
  std::string target;
  uint64_t seed = 1;
  unsigned seeds = 1; ///< so many from that one on
  double prepareSeconds = 0, runSeconds = 0;
  std::vector<ReadyModule> modules;
  std::vector<std::vector<Verdict>> verdicts; ///< of their cases
  std::vector<Declaration> declarations;
  std::vector<Exemption> exempt;
  std::vector<std::string> uncovered;
  /// Modules that could not be prepared, and why.
  std::vector<std::pair<std::string, std::string>> broken;
};

struct Counts {
  int64_t passed = 0, failed = 0, declined = 0, unsupported = 0, invalid = 0,
          notRun = 0;
  int64_t declared = 0;    ///< failed as declared
  int64_t unexpected = 0;  ///< passed against a declaration
  int64_t independent = 0; ///< have results by formulas of their own
  double worstShare = 0, worstError = 0, worstBound = 0;

  int64_t all() const {
    return passed + failed + declined + unsupported + invalid + notRun +
           declared + unexpected;
  }
  void add(const Verdict &verdict);
};

/// Marks the verdicts that a declaration matches. An error where a declaration
/// is malformed, has no reason, or where more than 2% of the cases match.
runtime::Error applyDeclarations(Results &results);

Counts countAll(const Results &results);
/// By level and operation, then by type.
using Matrix = std::map<std::string, std::map<std::string, Counts>>;
Matrix matrixOf(const Results &results);

/// Whether anything is wrong that nobody has declared.
bool isFailure(const Results &results);

/// How to run one case again. `seed` is that of its call, or 0.
std::string reproduction(const Results &results, const std::string &name,
                         uint64_t seed);

/// A reason without " (at FILE:LINE:COLUMN)": one of another place of the
/// generated modules is the same reason.
std::string withoutPlace(std::string reason);

void printText(const Results &results);
std::string toJson(const Results &results);
std::string toHtml(const Results &results);

/// Calls `fn(module, ready, verdict)` for each case.
template <typename Fn> void forEachCase(const Results &results, Fn fn) {
  for (size_t m = 0; m < results.modules.size(); ++m)
    for (size_t i = 0; i < results.verdicts[m].size(); ++i)
      fn(results.modules[m], results.modules[m].cases[i],
         results.verdicts[m][i]);
}

} // namespace kiln::conform

#endif
