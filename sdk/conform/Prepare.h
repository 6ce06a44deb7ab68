// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases that are ready to run: packages, and what results must be. This is what
// a folder of `kiln-conform --prepare` holds.
#ifndef KILN_SDK_CONFORM_PREPARE_H
#define KILN_SDK_CONFORM_PREPARE_H

#include "Compiler.h"
#include "Judge.h"

namespace kiln::conform {

/// One output of a case in the file of expected bytes.
struct Output {
  runtime::DType dtype = runtime::DType::none;
  std::vector<int64_t> shape;
  int64_t offset = 0;    ///< in the file
  bool hasRange = false; ///< low and high follow
};

/// What is known of a case before it runs.
struct Ready {
  size_t program = 0, call = 0; ///< in its module
  std::string error;            ///< why there is no expectation
  std::vector<Output> outputs;
};

/// Where a program went.
struct Placed {
  enum Kind { onTarget, declined, failed } kind = failed;
  std::string reason;
  int package = -1; ///< number of its package
};

/// A module with everything that running it needs.
struct ReadyModule {
  Module module;              ///< without text
  std::vector<Placed> placed; ///< one for each program
  std::vector<Ready> cases;
};

struct PrepareOptions {
  std::string target;
  std::string device; ///< the name of its device driver
  std::vector<std::string> loadTargets;
  std::string folder;
  uint64_t seed = 1;
  bool independent = false; ///< results by formulas, where there are any
};

/// Compiles a module for the target and evaluates its calls, which are those
/// left in it. Writes NAME-N.kiln, NAME.expected and NAME.json into the folder.
/// For a child process: compilers and evaluators may end it.
runtime::Error prepareModule(const Compiler &compiler, const Module &module,
                             const PrepareOptions &options);

runtime::Expected<ReadyModule> readReady(const std::string &folder,
                                         const std::string &name);

/// Memory that a call has written, or its results, in order.
runtime::Expected<std::vector<runtime::Tensor>> callAndCollect(
    const Program &program, const Call &call, uint64_t seed,
    const std::function<runtime::Expected<std::vector<runtime::Tensor>>(
        const std::vector<runtime::Tensor> &)> &run);

} // namespace kiln::conform

#endif
