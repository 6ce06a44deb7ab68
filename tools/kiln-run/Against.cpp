// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two programs measured in turns: what disturbs the machine disturbs both.
#include "Compare.h"
#include "Runner.h"
#include "Watch.h"
#include "kiln/Runtime/Package.h"
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

int fail(const std::string &message) {
  printError(message);
  return 1;
}

/// One of the two, and what its calls took.
struct Side {
  Session &session;
  const Function &function;
  std::vector<Tensor> args;
  std::vector<double> seconds;
  std::vector<Tensor> results; ///< of the last call

  Error call(const Options &options) {
    using Clock = std::chrono::steady_clock;
    CallWatch watch;
    Clock::time_point begin = Clock::now();
    auto called = session.call(function, args, callOptions(options));
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - begin).count());
    if (!called)
      return called.takeError();
    results = std::move(*called);
    return Error::success();
  }
};

bool haveOneSignature(const Function &a, const Function &b) {
  auto isSame = [](const auto &x, const auto &y) {
    return x.dtype == y.dtype && x.shape.size() == y.shape.size();
  };
  bool same =
      a.args.size() == b.args.size() && a.results.size() == b.results.size();
  for (size_t k = 0; same && k < a.args.size(); ++k)
    same = isSame(a.args[k], b.args[k]);
  for (size_t k = 0; same && k < a.results.size(); ++k)
    same = isSame(a.results[k], b.results[k]);
  return same;
}

/// Kernels without results change their arguments, and one program has done so
/// before: both begin with what it has left. What is alike may be readonly.
void equalise(const std::vector<Input> &from, const std::vector<Input> &to) {
  for (size_t k = 0; k < from.size(); ++k) {
    // What a pointer points to is more than one element.
    const Tensor &source = from[k].base, &target = to[k].base;
    if (!source.data() || !target.data() || !source.isContiguous() ||
        !target.isContiguous() || source.shape != target.shape)
      continue;
    size_t bytes = source.numElements() * dtypeBytes(source.dtype);
    if (std::memcmp(target.data(), source.data(), bytes))
      std::memcpy(target.data(), source.data(), bytes);
  }
}

/// The options of the other program: a package, or this input for a SPEC.
Options optionsOfOther(const Options &options) {
  Options other = options;
  other.against.clear();
  Expected<Blob> file = mapRegularFile(options.against);
  if (!file) {
    other.targets = {options.against};
    return other;
  }
  other.input = options.against;
  other.targets.clear();
  other.compileArgs.clear();
  return other;
}

void print(const Side &one, const Side &two, const std::string &name) {
  std::vector<double> ratios;
  for (size_t k = 0; k < one.seconds.size(); ++k)
    ratios.push_back(one.seconds[k] / two.seconds[k]);
  Statistics own = statisticsOf(one.seconds), other = statisticsOf(two.seconds);
  Statistics ratio = statisticsOf(std::move(ratios));
  std::printf("against %s: %zu calls of each in turns\n", name.c_str(),
              own.count);
  std::printf("  this  %12.3f us, least %.3f\n", own.median * 1e6,
              own.minimum * 1e6);
  std::printf("  other %12.3f us, least %.3f\n", other.median * 1e6,
              other.minimum * 1e6);
  std::printf(
      "  this takes %.3f of the other's time (median of the pairs, 90%% "
      "below %.3f; least times %.3f)\n",
      ratio.median, ratio.p90, own.minimum / other.minimum);
}

} // namespace

int kiln::run::measureAgainst(Session &session, const Function &function,
                              const std::vector<Input> &inputs,
                              const Options &options) {
  constexpr double kEnough = 2.0;
  constexpr int kFewest = 11;
  Prepared other = prepareProgram(optionsOfOther(options));
  if (other.status)
    return other.status;
  if (!haveOneSignature(function, *other.function))
    return fail("--against=" + options.against + ": '" + other.function->name +
                "' has other arguments or results than '" + function.name +
                "'");
  Side one{session, function, tensorsOf(inputs), {}, {}};
  Side two{*other.session, *other.function, tensorsOf(other.inputs), {}, {}};
  if (function.results.empty())
    equalise(inputs, other.inputs);
  Side *sides[] = {&one, &two};
  double spent = 0;
  for (int i = -options.warmUps - 1;
       options.benchCount ? i < options.benchCount
                          : i < kFewest || spent < kEnough;
       ++i) {
    // Each goes first as often as the other.
    std::swap(sides[0], sides[1]);
    for (Side *side : sides) {
      if (Error error = side->call(options))
        return fail(error.message());
      if (i >= 0)
        spent += side->seconds.back();
    }
    if (i >= 0)
      continue;
    one.seconds.clear();
    two.seconds.clear();
    for (size_t k = 0; k < one.results.size(); ++k)
      if (!fits(one.results[k], two.results[k], function.results[k].tolerance,
                options))
        return fail("--against=" + options.against + ": result " +
                    std::to_string(k) + " differs");
    // What kernels write are arguments.
    for (size_t k = 0; one.results.empty() && k < inputs.size(); ++k)
      if (!fits(inputs[k].base, other.inputs[k].base, Tolerance(), options))
        return fail("--against=" + options.against + ": argument " +
                    std::to_string(k) + " differs after the call");
  }
  print(one, two, options.against);
  return 0;
}
