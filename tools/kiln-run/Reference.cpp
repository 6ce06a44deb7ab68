// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same call on target `reference`, and comparing with it.
#include "Compare.h"
#include "KernelCheck.h"
#include "Runner.h"
#include "Spread.h"
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
bool compareArgument(const std::string &name, size_t k,
                     const Function &function, const Tensor &found,
                     const Expectation &expected, Judge *judge,
                     const Options &options) {
  Expected<Tensor> packed = found.contiguous();
  Expected<Tensor> wanted = expected.inputs[k].base.contiguous();
  if (!packed || !wanted) {
    printError(packed ? wanted.message() : packed.message());
    return false;
  }
  if (judge && judge->hasContractBounds() && isSame(*packed, *wanted))
    return compareWithin(name, *packed, *wanted,
                         std::vector<double>(size_t(wanted->numElements()), 0),
                         0, wanted->dtype, options, /*quiet=*/false);
  Tolerance tolerance;
  tolerance.accumulation = 1024; // a kernel says nothing about its sums
  // What is estimated counts for nothing where an error is one that operations
  // may make.
  if (judge && (judge->hasContractBounds() ||
                !fits(*packed, *wanted, tolerance, options))) {
    std::array<int64_t, 3> grid =
        options.grid.value_or(std::array<int64_t, 3>{1, 1, 1});
    // What is written is the storage that a tensor is a window of.
    auto bases = [&](Judge::Direction direction) -> Expected<Tensor> {
      Expected<std::vector<Input>> copies = copyInputs(expected.given);
      if (!copies)
        return copies.takeError();
      Expected<Session *> session = judge->session(direction);
      if (!session)
        return session.takeError();
      CallOptions call;
      call.grid = grid;
      const Function *same = (*session)->lookup(function.name);
      Expected<std::vector<Tensor>> done =
          (*session)->call(same ? *same : function, tensorsOf(*copies), call);
      if (!done)
        return done.takeError();
      return (*copies)[k].base.contiguous();
    };
    auto spread =
        judge->spread(*packed, *wanted, wanted->dtype, options, bases);
    if (spread &&
        (judge->hasContractBounds() ||
         fitsWithin(*packed, *wanted, *spread, 0, wanted->dtype, options)))
      return compareWithin(name, *packed, *wanted, *spread, 0, wanted->dtype,
                           options, /*quiet=*/false);
  }
  return compare(name, *packed, *wanted, tolerance, tolerance.accumulation,
                 options);
}

/// How far the results may move by what the kernels may err; nothing where that
/// cannot be told.
std::optional<std::vector<std::vector<double>>>
spreadOfResults(const Function &function, const Expectation &expected,
                Judge *judge) {
  const Function *same = judge ? judge->lookup(function.name) : nullptr;
  if (!same || !judge->hasContractBounds())
    return std::nullopt;
  std::vector<Tensor> args = tensorsOf(expected.given);
  std::vector<std::vector<Tensor>> calls;
  for (Judge::Direction direction : {Judge::exact, Judge::plus, Judge::minus}) {
    auto called = judge->call(direction, *same, args);
    if (!called)
      return std::nullopt;
    calls.push_back(std::move(*called));
  }
  std::vector<std::vector<double>> spreads;
  for (size_t k = args.size(); k < calls[0].size(); ++k)
    spreads.push_back(spreadOf(calls[0][k], {calls[1][k], calls[2][k]}));
  return spreads;
}

/// Results with the expected numbers in place of integers that depend on bits
/// of a NaN that are unspecified: errors on purpose flip the highest bit of
/// those on `reference`.
std::vector<Tensor> withoutOpen(const Function &function,
                                const std::vector<Tensor> &found,
                                const Expectation &expected) {
  const std::vector<Tensor> &wanted = expected.outcome.results;
  auto differs = [&](size_t k) {
    return isInteger(found[k].dtype) && found[k].shape == wanted[k].shape &&
           found[k].dtype == wanted[k].dtype && !isSame(found[k], wanted[k]);
  };
  std::vector<Tensor> settled = found, moved;
  for (size_t k = 0; k < found.size(); ++k) {
    if (!differs(k))
      continue;
    if (moved.empty()) {
      auto session = Session::create(expected.package, "reference,perturb=1");
      const Function *same = session ? session->lookup(function.name) : nullptr;
      auto called = same ? session->call(*same, tensorsOf(expected.given))
                         : Expected<std::vector<Tensor>>(Error("none"));
      if (!called || called->size() != found.size())
        return found;
      moved = std::move(*called);
    }
    auto own = Tensor::create(found[k].dtype, found[k].shape);
    auto all = found[k].contiguous();
    if (!own || !all || moved[k].shape != found[k].shape)
      continue;
    int64_t top = int64_t(uint64_t(1) << (dtypeBits(own->dtype) - 1));
    for (int64_t i = 0, n = own->numElements(); i < n; ++i) {
      int64_t x = loadAsInt(wanted[k].dtype, wanted[k].data(), i);
      int64_t y = loadAsInt(moved[k].dtype, moved[k].data(), i);
      bool isOpen = ((x ^ y) & (2 * uint64_t(top) - 1)) == uint64_t(top);
      storeInt(own->dtype, own->data(), i,
               isOpen ? x : loadAsInt(all->dtype, all->data(), i));
    }
    settled[k] = std::move(*own);
  }
  return settled;
}

} // namespace

std::optional<Outcome>
kiln::run::callReference(const Options &options, const PackagePtr &package,
                         const Function &function,
                         const std::vector<Input> &inputs, PackagePtr &used) {
  Loaded loaded = loadReference(options, package);
  if (!loaded.package)
    return std::nullopt;
  used = loaded.package;
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
                             const Expectation &expected, Judge *judge,
                             const Options &options) {
  bool fits = true;
  const std::vector<Tensor> &wanted = expected.outcome.results;
  std::vector<Tensor> results = found.results;
  if (function.kind == Function::Kind::function)
    results = withoutOpen(function, results, expected);
  std::optional<std::vector<std::vector<double>>> spreads;
  for (size_t k = 0; k < results.size() && !spreads; ++k)
    if (!isSame(results[k], wanted[k])) {
      spreads = spreadOfResults(function, expected, judge);
      if (!spreads)
        break;
    }
  for (size_t k = 0; k < results.size(); ++k) {
    std::string name = labelOf("result", k, function.results[k].name);
    const Tolerance &tolerance = function.results[k].tolerance;
    if (spreads && spreads->size() > k && !options.rtol && !options.atol) {
      // The program and its kernels are rounded at different places.
      DType coarsest =
          isFloat(tolerance.dtype) ? tolerance.dtype : wanted[k].dtype;
      double least = tolerance.exact || !isFloat(wanted[k].dtype)
                         ? 0
                         : largestFinite(wanted[k]) *
                               std::max(baseTolerance(coarsest),
                                        baseTolerance(wanted[k].dtype));
      fits &= compareWithin(name, results[k], wanted[k], (*spreads)[k], least,
                            coarsest, options, /*quiet=*/false);
      continue;
    }
    // Either program may know more about the sums than the other.
    int64_t sum = std::max(found.report.accumulation[k],
                           expected.outcome.report.accumulation[k]);
    fits &= compare(name, results[k], wanted[k], tolerance, sum, options);
  }
  // What a function writes its caller has given up.
  bool isKernel = function.kind != Function::Kind::function;
  for (size_t k = 0; k < inputs.size(); ++k)
    if (isKernel && function.args[k].writable && !function.args[k].isScalar)
      fits &= compareArgument(
          labelOf("argument", k, function.args[k].name), k, function,
          inputs[k].base, expected,
          function.kind == Function::Kind::kernel ? judge : nullptr, options);
  return fits;
}
