// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of the program, from opened devices to written files.
#ifndef KILN_TOOLS_KILN_RUN_RUNNER_H
#define KILN_TOOLS_KILN_RUN_RUNNER_H

#include "Inputs.h"
#include "Load.h"
#include <memory>

namespace kiln::run {

/// What a call leaves behind: its results, and what it used.
struct Outcome {
  std::vector<runtime::Tensor> results;
  runtime::CallReport report;
};

std::vector<runtime::Tensor> tensorsOf(const std::vector<Input> &inputs);

/// How every call of this run is made.
runtime::CallOptions callOptions(const Options &options);

/// One call.
runtime::Expected<Outcome> callOnce(runtime::Session &session,
                                    const runtime::Function &function,
                                    const std::vector<Input> &inputs,
                                    const Options &options,
                                    bool onReference = false);

/// The same call on target `reference`; nothing after an error, which is
/// printed.
std::optional<Outcome> callReference(const Options &options,
                                     const PackagePtr &package,
                                     const runtime::Function &function,
                                     const std::vector<Input> &inputs);

/// Compares results and written arguments of a call with those of the
/// reference, which got `expectedInputs`. True when all fit.
bool compareCalls(const runtime::Function &function, const Outcome &found,
                  const std::vector<Input> &inputs, const Outcome &expected,
                  const std::vector<Input> &expectedInputs,
                  const Options &options);

/// Does what the options ask for; the exit status.
int runProgram(const Options &options);

} // namespace kiln::run

#endif
