// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of the program, from opened devices to written files.
#ifndef KILN_TOOLS_KILN_RUN_RUNNER_H
#define KILN_TOOLS_KILN_RUN_RUNNER_H

#include "Bench.h"
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
runtime::Expected<Outcome>
callOnce(runtime::Session &session, const runtime::Function &function,
         const std::vector<Input> &inputs, const Options &options,
         bool onReference = false, runtime::LaunchObserver *observer = nullptr);

/// The same call on target `reference`; nothing after an error, which is
/// printed.
std::optional<Outcome> callReference(const Options &options,
                                     const PackagePtr &package,
                                     const runtime::Function &function,
                                     const std::vector<Input> &inputs,
                                     PackagePtr &reference);

class Judge;

/// What the reference made of a call.
struct Expectation {
  Outcome outcome;
  std::vector<Input> inputs; ///< after the call
  std::vector<Input> given;  ///< before it
  PackagePtr package;        ///< of the program for the reference
};

/// Compares results and written arguments of a call with those of the
/// reference. `judge` evaluates the same kernels; null: there are none that can
/// be evaluated. True when all fit.
bool compareCalls(const runtime::Function &function, const Outcome &found,
                  const std::vector<Input> &inputs, const Expectation &expected,
                  Judge *judge, const Options &options);

/// A program that can be called, with its arguments.
struct Prepared {
  int status = 0; ///< of what failed; diagnostics are printed
  std::unique_ptr<runtime::Session> session;
  const runtime::Function *function = nullptr;
  std::vector<Input> inputs;
};
Prepared prepareProgram(const Options &options);

/// Measures calls in turns with what `options.against` names, whose results
/// must be the same but for rounding, and prints how they compare. The exit
/// status.
int measureAgainst(runtime::Session &session, const runtime::Function &function,
                   const std::vector<Input> &inputs, const Options &options);

/// Measures calls of the program compiled for `options.targets`.
struct Trial {
  int status = 0; ///< of what failed; diagnostics are printed
  Measured measured;
  Outcome outcome;
  std::unique_ptr<runtime::Session> session; ///< owns the kernels of `measured`
  const runtime::Function *function = nullptr;
};
Trial tryProgram(const Options &options);

/// Does what the options ask for; the exit status.
int runProgram(const Options &options);

} // namespace kiln::run

#endif
