// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measuring calls.
#include "Bench.h"
#include "Runner.h"
#include "Watch.h"
#include "kiln/Runtime/Package.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

double now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

/// Between the two nearest of sorted values.
double quantile(const std::vector<double> &sorted, double share) {
  double at = share * double(sorted.size() - 1);
  auto below = size_t(at);
  size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

} // namespace

Statistics kiln::run::statisticsOf(std::vector<double> seconds) {
  Statistics result;
  if (seconds.empty())
    return result;
  std::sort(seconds.begin(), seconds.end());
  result.count = seconds.size();
  result.minimum = seconds.front();
  result.maximum = seconds.back();
  result.median = quantile(seconds, 0.5);
  result.p90 = quantile(seconds, 0.9);
  result.p99 = quantile(seconds, 0.99);
  for (double value : seconds)
    result.mean += value / double(seconds.size());
  for (double value : seconds)
    result.deviation += (value - result.mean) * (value - result.mean);
  result.deviation =
      seconds.size() > 1
          ? std::sqrt(result.deviation / double(seconds.size() - 1))
          : 0;
  return result;
}

std::vector<KernelRow>
kiln::run::groupLaunches(const std::vector<LaunchRecord> &launches) {
  std::vector<KernelRow> rows;
  std::map<std::pair<const KernelInfo *, std::string>, size_t> index;
  for (const LaunchRecord &launch : launches) {
    auto [it, isNew] =
        index.try_emplace({launch.kernel, launch.name}, rows.size());
    if (isNew)
      rows.push_back({launch.name, 0, 0, 0, 0});
    KernelRow &row = rows[it->second];
    ++row.calls;
    row.seconds += launch.seconds;
    row.flops += double(launch.flops);
    row.bytes += double(launch.bytes);
  }
  return rows;
}

Expected<Measured> kiln::run::measure(Session &session,
                                      const Function &function,
                                      const std::vector<Tensor> &args,
                                      const Options &options) {
  constexpr double kEnough = 1.0;
  CallOptions timed = callOptions(options);
  timed.time = true;
  Measured measured;
  measured.warmUps = options.warmUps;
  std::vector<std::vector<double>> launchTimes;
  int wanted = options.benchCount;
  double spent = 0;
  for (int i = -options.warmUps;
       wanted ? i < wanted : (i < 5 || spent < kEnough); ++i) {
    CallReport report;
    CallWatch watch;
    double begin = now();
    auto results = session.call(function, args, timed, &report);
    double seconds = now() - begin;
    if (!results)
      return results.takeError();
    if (i < 0)
      continue;
    spent += seconds;
    measured.seconds.push_back(seconds);
    launchTimes.resize(report.launches.size());
    for (size_t k = 0; k < report.launches.size(); ++k)
      launchTimes[k].push_back(report.launches[k].seconds);
    measured.launches = std::move(report.launches);
    measured.onDeviceClock = report.usedDeviceClock;
  }
  measured.statistics = statisticsOf(measured.seconds);
  for (size_t k = 0; k < measured.launches.size(); ++k)
    measured.launches[k].seconds = statisticsOf(launchTimes[k]).median;
  return measured;
}

Error kiln::run::bench(Session &session, const Function &function,
                       const std::vector<Tensor> &args,
                       const Options &options) {
  Expected<Measured> measured = measure(session, function, args, options);
  if (!measured)
    return measured.takeError();
  if (session.runsOnHost() && !options.noCeiling)
    measured->ceiling = measureCeiling(session.numCores());
  printMeasured(*measured);
  if (options.benchJson.empty())
    return Error::success();
  std::string json = measuredToJson(*measured, function, session.target().spec,
                                    session.deviceNames());
  return writeFile(options.benchJson, json.data(), json.size());
}
