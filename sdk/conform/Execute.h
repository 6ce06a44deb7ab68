// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running prepared cases on a device, in processes of their own.
#ifndef KILN_SDK_CONFORM_EXECUTE_H
#define KILN_SDK_CONFORM_EXECUTE_H

#include "Prepare.h"
#include "kiln/System/Progress.h"

namespace kiln::conform {

/// What came of a case.
struct Verdict {
  enum Status {
    passed,
    failed,      ///< wrong, or it ended its process, or an error
    declined,    ///< the target does not take the program, and says why
    unsupported, ///< as a limit of its description says
    invalid,     ///< the reference has no result: a fault of the suite
    notRun       ///< the time was over
  };
  Status status = notRun;
  std::string message; ///< of what failed or declined
  double error = 0, bound = 0, share = 0;
  double seconds = 0;
  // By the declarations:
  std::string declaration; ///< the reason that was declared
};

const char *statusName(Verdict::Status status);

struct ExecuteOptions {
  std::string target, folder;
  uint64_t seed = 1;
  double caseSeconds = 60; ///< longer than that hangs
  unsigned jobs = 1;
  unsigned together = 1; ///< modules that a process runs
  double deadline = 0;   ///< of the monotonic clock; 0: none
  runtime::ProgressStyle progress = runtime::ProgressStyle::Quiet;
};

/// Runs the cases of several modules side by side. Verdicts are in the order of
/// the cases.
std::vector<std::vector<Verdict>>
execute(const std::vector<ReadyModule> &modules, const ExecuteOptions &options);

/// Seconds of the monotonic clock.
double now();

} // namespace kiln::conform

#endif
