// Measuring calls, and the table of kernels.
#include "Bench.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

double now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

/// The shortest time that the ceilings allow; 0 when nothing is known.
double floorSeconds(double flops, double bytes, const Ceiling &ceiling) {
  double byFlops =
      ceiling.flopsPerSecond > 0 ? flops / ceiling.flopsPerSecond : 0;
  double byBytes =
      ceiling.bytesPerSecond > 0 ? bytes / ceiling.bytesPerSecond : 0;
  return std::max(byFlops, byBytes);
}

/// "12.3", or "-" when the rate is not known.
std::string rate(double amount, double seconds) {
  if (amount <= 0 || seconds <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", amount / seconds * 1e-9);
  return text;
}

std::string share(double part, double whole) {
  if (part <= 0 || whole <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f%%", 100 * part / whole);
  return text;
}

/// All launches of one kernel.
struct Row {
  std::string name;
  int calls = 0;
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
};

std::vector<Row> groupLaunches(const std::vector<LaunchRecord> &launches) {
  std::vector<Row> rows;
  std::map<std::pair<const KernelInfo *, std::string>, size_t> index;
  for (const LaunchRecord &launch : launches) {
    auto [it, isNew] =
        index.try_emplace({launch.kernel, launch.name}, rows.size());
    if (isNew)
      rows.push_back({launch.name, 0, 0, 0, 0});
    Row &row = rows[it->second];
    ++row.calls;
    row.seconds += launch.seconds;
    row.flops += double(launch.flops);
    row.bytes += double(launch.bytes);
  }
  return rows;
}

void printCall(const std::vector<double> &times, const CallReport &report,
               const Ceiling &ceiling) {
  double flops = 0, bytes = 0;
  for (const LaunchRecord &launch : report.launches) {
    flops += double(launch.flops);
    bytes += double(launch.bytes);
  }
  double middle = median(times);
  double least = *std::min_element(times.begin(), times.end());
  std::printf("bench: %zu calls, median %.4f ms, minimum %.4f ms, %s GFLOP/s, "
              "%s GB/s\n",
              times.size(), middle * 1e3, least * 1e3,
              rate(flops, middle).c_str(), rate(bytes, middle).c_str());
  if (ceiling.bytesPerSecond <= 0)
    return;
  std::printf("ceiling: copy %.1f GB/s", ceiling.bytesPerSecond * 1e-9);
  if (ceiling.flopsPerSecond > 0)
    std::printf(", f32 %.1f GFLOP/s", ceiling.flopsPerSecond * 1e-9);
  std::printf("; the call reaches %s of it\n",
              share(floorSeconds(flops, bytes, ceiling), middle).c_str());
}

} // namespace

void kiln::run::printKernels(const std::vector<LaunchRecord> &launches,
                             const Ceiling &ceiling) {
  std::vector<Row> rows = groupLaunches(launches);
  double total = 0;
  size_t width = 6;
  for (const Row &row : rows) {
    total += row.seconds;
    width = std::max(width, row.name.size());
  }
  int w = int(std::min<size_t>(width, 60));
  std::printf("%-*s %6s %12s %6s %10s %8s %8s\n", w, "kernel", "calls",
              "time/ms", "share", "GFLOP/s", "GB/s", "ceiling");
  for (const Row &row : rows)
    std::printf("%-*s %6d %12.4f %6s %10s %8s %8s\n", w, row.name.c_str(),
                row.calls, row.seconds * 1e3, share(row.seconds, total).c_str(),
                rate(row.flops, row.seconds).c_str(),
                rate(row.bytes, row.seconds).c_str(),
                share(floorSeconds(row.flops, row.bytes, ceiling), row.seconds)
                    .c_str());
  std::printf("%-*s %6zu %12.4f\n", w, "sum", launches.size(), total * 1e3);
}

Error kiln::run::bench(Session &session, const Function &function,
                       const std::vector<Tensor> &args,
                       const CallOptions &callOptions, const Options &options) {
  constexpr int kWarmUp = 2;
  constexpr double kEnough = 1.0;
  CallOptions timed = callOptions;
  timed.time = true;
  std::vector<double> times;
  std::vector<std::vector<double>> launchTimes;
  CallReport last;
  int wanted = options.benchCount;
  double spent = 0;
  for (int i = -kWarmUp; wanted ? i < wanted : (i < 5 || spent < kEnough);
       ++i) {
    CallReport report;
    double begin = now();
    auto results = session.call(function, args, timed, &report);
    double seconds = now() - begin;
    if (!results)
      return results.takeError();
    if (i < 0)
      continue;
    spent += seconds;
    times.push_back(seconds);
    launchTimes.resize(report.launches.size());
    for (size_t k = 0; k < report.launches.size(); ++k)
      launchTimes[k].push_back(report.launches[k].seconds);
    last = std::move(report);
  }
  for (size_t k = 0; k < last.launches.size(); ++k)
    last.launches[k].seconds = median(launchTimes[k]);
  Ceiling ceiling;
  if (session.runsOnHost() && !options.noCeiling)
    ceiling = measureCeiling(session.numCores());
  printCall(times, last, ceiling);
  printKernels(last.launches, ceiling);
  return Error::success();
}
