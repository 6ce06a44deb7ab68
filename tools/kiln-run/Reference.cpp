// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same call on target `reference`, and comparing with it.
#include "Compare.h"
#include "Runner.h"
#include "Watch.h"
#include <algorithm>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

/// Launches that a call makes; 0 when its sizes do not tell.
uint64_t countLaunches(const Package &package, const TargetProgram &target,
                       const Function &function,
                       const std::vector<Input> &inputs) {
  std::vector<std::vector<int64_t>> shapes;
  for (const Input &input : inputs)
    shapes.push_back(input.tensor.shape);
  Expected<CallReport> report = measure(package, target, function, shapes);
  return report ? report->launches.size() : 0;
}

/// What a kernel wrote to an argument: anywhere in its storage, as a pointer
/// tells nothing about what it points to.
bool compareArgument(const std::string &name, const Tensor &found,
                     const Tensor &expected, const Options &options) {
  Expected<Tensor> packed = found.contiguous();
  Expected<Tensor> wanted = expected.contiguous();
  if (!packed || !wanted) {
    printError(packed ? wanted.message() : packed.message());
    return false;
  }
  Tolerance tolerance;
  tolerance.accumulation = 1024; // a kernel says nothing about its sums
  return compare(name, *packed, *wanted, tolerance, tolerance.accumulation,
                 options);
}

} // namespace

std::optional<Outcome>
kiln::run::callReference(const Options &options, const PackagePtr &package,
                         const Function &function,
                         const std::vector<Input> &inputs) {
  Loaded loaded = loadReference(options, package);
  if (!loaded.package)
    return std::nullopt;
  Expected<Session> reference = Session::create(loaded.package, "reference");
  if (!reference) {
    printError(reference.message());
    return std::nullopt;
  }
  const Function *same = reference->lookup(function.name);
  if (!same || same->args.size() != function.args.size() ||
      same->results.size() != function.results.size()) {
    printError("target 'reference' has no '" + function.name +
               "' of the same type");
    return std::nullopt;
  }
  ProgressReport progress(
      options.verbose,
      countLaunches(*loaded.package, reference->target(), *same, inputs));
  Expected<Outcome> expected =
      callOnce(*reference, *same, inputs, options, /*onReference=*/true);
  if (!expected) {
    printError("reference: " + expected.message());
    return std::nullopt;
  }
  return std::move(*expected);
}

bool kiln::run::compareCalls(const Function &function, const Outcome &found,
                             const std::vector<Input> &inputs,
                             const Outcome &expected,
                             const std::vector<Input> &expectedInputs,
                             const Options &options) {
  bool fits = true;
  for (size_t k = 0; k < found.results.size(); ++k) {
    // Either program may know more about the sums than the other.
    int64_t sum =
        std::max(found.report.accumulation[k], expected.report.accumulation[k]);
    fits &= compare(labelOf("result", k, function.results[k].name),
                    found.results[k], expected.results[k],
                    function.results[k].tolerance, sum, options);
  }
  for (size_t k = 0; k < inputs.size(); ++k)
    if (function.args[k].writable && !function.args[k].isScalar)
      fits &= compareArgument(labelOf("argument", k, function.args[k].name),
                              inputs[k].base, expectedInputs[k].base, options);
  return fits;
}
