// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, for people and for programs.
#include "Bench.h"
#include <algorithm>
#include <cstdio>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

/// What a call or a kernel does, summed up.
struct Work {
  double flops = 0;
  double bytes = 0;
};

Work workOf(const std::vector<LaunchRecord> &launches) {
  Work work;
  for (const LaunchRecord &launch : launches) {
    work.flops += double(launch.flops);
    work.bytes += double(launch.bytes);
  }
  return work;
}

/// "12.3", or "-" when the rate is not known.
std::string rate(double amount, double seconds) {
  if (amount <= 0 || seconds <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", amount / seconds * 1e-9);
  return text;
}

std::string percent(double part) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f%%", 100 * part);
  return text;
}

std::string reachText(const Reach &reach) {
  switch (reach.kind) {
  case Reach::share:
    return percent(reach.part);
  case Reach::inCache:
    return "in cache";
  case Reach::above:
    return "above";
  case Reach::unknown:
    break;
  }
  return "-";
}

/// A sentence for each word that the table uses.
void explain(bool hasUnknown, bool hasCached, bool hasAbove) {
  if (hasUnknown)
    std::printf("-: not known: the launch does not say how much it computes or "
                "moves\n");
  if (hasCached)
    std::printf("in cache: its data fits into the caches, so the bandwidth of "
                "memory is no ceiling for it\n");
  if (hasAbove)
    std::printf("above: faster than the f32 multiply-adds that were measured: "
                "by other types or units of the processor, or because others "
                "used it then, too\n");
}

/// Text of a JSON string.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      (result += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      result += escaped;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

/// 0 stands for what is not known.
std::string known(double value) { return value > 0 ? number(value) : "null"; }

std::string reachToJson(const Reach &reach) {
  return std::string("\"ceiling_fraction\": ") +
         (reach.kind == Reach::share ? number(reach.part) : "null") +
         ", \"in_cache\": " + (reach.kind == Reach::inCache ? "true" : "false");
}

} // namespace

Reach kiln::run::reachOf(double flops, double bytes, double seconds,
                         const Ceiling &ceiling, bool isCached) {
  bool hasFlops = ceiling.flopsPerSecond > 0 && flops > 0;
  bool hasBytes = ceiling.bytesPerSecond > 0 && bytes > 0;
  if (seconds <= 0 || (!hasFlops && !hasBytes))
    return {};
  double byFlops = hasFlops ? flops / ceiling.flopsPerSecond : 0;
  double byBytes = hasBytes ? bytes / ceiling.bytesPerSecond : 0;
  // Nor did memory give what came faster than it can.
  constexpr double kNoise = 1.1;
  if (byBytes > byFlops && (isCached || byBytes > kNoise * seconds))
    return {Reach::inCache, 0};
  double part = std::max(byFlops, byBytes) / seconds;
  if (part > kNoise)
    return {Reach::above, part};
  return {Reach::share, std::min(part, 1.0)};
}

void kiln::run::printMeasured(const Measured &measured) {
  Work work = workOf(measured.launches);
  const Statistics &times = measured.statistics;
  std::printf("bench: %zu calls, median %.4f ms, minimum %.4f ms, %s GFLOP/s, "
              "%s GB/s\n",
              times.count, times.median * 1e3, times.minimum * 1e3,
              rate(work.flops, times.median).c_str(),
              rate(work.bytes, times.median).c_str());
  std::printf("times: mean %.4f ms, deviation %.4f ms, p90 %.4f ms, "
              "p99 %.4f ms, maximum %.4f ms, after %d warm-up calls\n",
              times.mean * 1e3, times.deviation * 1e3, times.p90 * 1e3,
              times.p99 * 1e3, times.maximum * 1e3, measured.warmUps);
  const Ceiling &ceiling = measured.ceiling;
  if (ceiling.bytesPerSecond > 0) {
    std::printf("ceiling: copy %.1f GB/s", ceiling.bytesPerSecond * 1e-9);
    if (ceiling.flopsPerSecond > 0)
      std::printf(", f32 %.1f GFLOP/s", ceiling.flopsPerSecond * 1e-9);
    Reach reach = reachOf(work.flops, work.bytes, times.median, ceiling,
                          work.bytes <= ceiling.cacheBytes);
    if (reach.kind == Reach::share)
      std::printf("; the call reaches %s of it\n", percent(reach.part).c_str());
    else if (reach.kind == Reach::inCache)
      std::printf("; the call works in the caches\n");
    else if (reach.kind == Reach::above)
      std::printf("; the call is above it\n");
    else
      std::printf("; what the call does is not known\n");
  }
  std::printf("kernels timed by the clock of the %s\n",
              measured.onDeviceClock ? "device" : "host");
  printKernels(measured.launches, ceiling);
}

void kiln::run::printKernels(const std::vector<LaunchRecord> &launches,
                             const Ceiling &ceiling) {
  std::vector<KernelRow> rows = groupLaunches(launches);
  double total = 0;
  size_t width = 6;
  for (const KernelRow &row : rows) {
    total += row.seconds;
    width = std::max(width, row.name.size());
  }
  int w = int(std::min<size_t>(width, 60));
  bool hasCeiling = ceiling.bytesPerSecond > 0;
  bool isCached = workOf(launches).bytes <= ceiling.cacheBytes;
  bool hasUnknown = false, hasCached = false, hasAbove = false;
  std::printf("%-*s %6s %12s %6s %10s %8s%s\n", w, "kernel", "calls", "time/ms",
              "share", "GFLOP/s", "GB/s", hasCeiling ? "  ceiling" : "");
  for (const KernelRow &row : rows) {
    Reach reach = reachOf(row.flops, row.bytes, row.seconds, ceiling, isCached);
    std::string column = hasCeiling ? " " + reachText(reach) : "";
    std::printf("%-*s %6d %12.4f %6s %10s %8s%*s\n", w, row.name.c_str(),
                row.calls, row.seconds * 1e3,
                total > 0 ? percent(row.seconds / total).c_str() : "0%",
                rate(row.flops, row.seconds).c_str(),
                rate(row.bytes, row.seconds).c_str(), hasCeiling ? 9 : 0,
                column.c_str());
    hasUnknown |= row.flops <= 0 || row.bytes <= 0;
    hasCached |= reach.kind == Reach::inCache;
    hasAbove |= reach.kind == Reach::above;
  }
  std::printf("%-*s %6zu %12.4f\n", w, "sum", launches.size(), total * 1e3);
  explain(hasUnknown, hasCached, hasAbove);
}

std::string kiln::run::measuredToJson(const Measured &measured,
                                      const Function &function,
                                      const std::string &target,
                                      const std::vector<std::string> &devices) {
  const Statistics &times = measured.statistics;
  Work work = workOf(measured.launches);
  bool isCached = work.bytes <= measured.ceiling.cacheBytes;
  std::string json = "{\"entry\": " + quoted(function.name) +
                     ", \"target\": " + quoted(target) + ", \"devices\": [";
  for (size_t i = 0; i < devices.size(); ++i)
    json += (i ? ", " : "") + quoted(devices[i]);
  json +=
      "],\n \"calls\": " + std::to_string(times.count) +
      ", \"warmups\": " + std::to_string(measured.warmUps) +
      ", \"kernel_clock\": " +
      (measured.onDeviceClock ? "\"device\"" : "\"host\"") +
      ",\n \"seconds\": {\"minimum\": " + number(times.minimum) +
      ", \"median\": " + number(times.median) +
      ", \"mean\": " + number(times.mean) + ", \"p90\": " + number(times.p90) +
      ", \"p99\": " + number(times.p99) +
      ", \"maximum\": " + number(times.maximum) +
      ", \"deviation\": " + number(times.deviation) +
      "},\n \"flops\": " + known(work.flops) +
      ", \"bytes\": " + known(work.bytes) + ", " +
      reachToJson(reachOf(work.flops, work.bytes, times.median,
                          measured.ceiling, isCached)) +
      ",\n \"ceiling\": {\"copy_bytes_per_second\": " +
      known(measured.ceiling.bytesPerSecond) +
      ", \"f32_flops_per_second\": " + known(measured.ceiling.flopsPerSecond) +
      ", \"cache_bytes\": " + known(measured.ceiling.cacheBytes) +
      "},\n \"kernels\": [";
  bool isFirst = true;
  for (const KernelRow &row : groupLaunches(measured.launches)) {
    json += std::string(isFirst ? "\n" : ",\n") +
            "  {\"name\": " + quoted(row.name) +
            ", \"launches\": " + std::to_string(row.calls) +
            ", \"seconds\": " + number(row.seconds) +
            ", \"flops\": " + known(row.flops) +
            ", \"bytes\": " + known(row.bytes) + ", " +
            reachToJson(reachOf(row.flops, row.bytes, row.seconds,
                                measured.ceiling, isCached)) +
            "}";
    isFirst = false;
  }
  json += "],\n \"times\": [";
  for (size_t i = 0; i < measured.seconds.size(); ++i)
    json += (i ? ", " : "") + number(measured.seconds[i]);
  return json + "]}\n";
}
