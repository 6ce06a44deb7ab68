// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block sizes by measurement: all kernels take their candidates of one number
// at once, for each is timed by itself.
#include "Tune.h"
#include "Compare.h"
#include "Load.h"
#include "Runner.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Spec.h"
#include "kiln/System/Progress.h"
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <set>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

int fail(const std::string &message, int status = 1) {
  printError(message);
  return status;
}

/// What was measured of one problem.
struct Problem {
  std::string key;                       ///< of the target
  std::map<std::string, double> seconds; ///< by block sizes
  std::string first;                     ///< what the model chose
};

using Problems = std::map<std::string, Problem>;

/// Adds the times of a trial; true if it had block sizes that are new.
bool note(const Trial &trial, Problems &problems) {
  // One kernel may run several times.
  std::map<const KernelInfo *, double> times;
  for (const LaunchRecord &launch : trial.measured.launches)
    times[launch.kernel] += launch.seconds;
  bool isNew = false;
  for (const auto &[kernel, seconds] : times) {
    if (!kernel)
      continue;
    auto text = kernel->notes.find("tiling");
    auto key = kernel->notes.find("tiling_key");
    if (text == kernel->notes.end() || key == kernel->notes.end())
      continue;
    size_t arrow = text->second.find(" -> ");
    if (arrow == std::string::npos)
      continue;
    Problem &problem = problems[text->second.substr(0, arrow)];
    std::string blocks = text->second.substr(arrow + 4);
    if (problem.seconds.empty()) {
      problem.key = key->second;
      problem.first = blocks;
    }
    auto [known, added] = problem.seconds.try_emplace(blocks, seconds);
    known->second = std::min(known->second, seconds);
    isNew |= added;
  }
  return isNew;
}

/// Text as a JSON string.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

/// `168x512x256` as `[168, 512, 256]`.
std::string listed(const std::string &blocks) {
  std::string result = "[";
  for (char c : blocks)
    result += c == 'x' ? ", " : std::string(1, c);
  return result + "]";
}

/// The outcome of a candidate must be that of the first one.
bool agrees(const Trial &first, const Trial &trial, const Options &options) {
  for (size_t k = 0; k < first.outcome.results.size(); ++k)
    if (!fits(trial.outcome.results[k], first.outcome.results[k],
              first.function->results[k].tolerance, options))
      return false;
  return true;
}

} // namespace

/// The SPECs to compare: the targets of a package, of which those that
/// --target does not name are left out, or that one with each candidate. The
/// exit status where there are none.
static int listCandidates(const Options &options,
                          std::vector<std::string> &specs) {
  constexpr int kMost = 64;
  Expected<Blob> file = mapFile(options.input);
  if (!file || !isPackage(file->data, file->size)) {
    if (options.targets.size() != 1)
      return fail("--tune needs one --target", 2);
    auto [own, forDriver] = splitDriverOptions(options.targets.front());
    for (int i = 0; i < kMost; ++i)
      specs.push_back(own + ",candidate=" + std::to_string(i) +
                      (forDriver.empty() ? "" : ",," + forDriver));
    return 0;
  }
  if (options.targets.size() > 1)
    return fail("--tune needs one --target", 2);
  Loaded loaded = loadInput(options);
  if (loaded.status)
    return loaded.status;
  auto [wanted, forDriver] = splitDriverOptions(
      options.targets.empty() ? "" : options.targets.front());
  for (const TargetProgram &target : loaded.package->targets)
    if (target.spec.find(",candidate=") != std::string::npos &&
        target.spec.rfind(wanted, 0) == 0)
      specs.push_back(target.spec +
                      (forDriver.empty() ? "" : ",," + forDriver));
  if (specs.size() < 2)
    return fail("--tune needs a package with candidates: "
                "kiln-compile --candidates=N makes one");
  return 0;
}

int kiln::run::tune(const Options &options) {
  std::vector<std::string> specs;
  if (int status = listCandidates(options, specs))
    return status;
  std::ofstream file(options.tune, std::ios::app);
  if (!file)
    return fail("cannot write '" + options.tune + "'");
  Problems problems;
  std::optional<Trial> first;
  Progress progress("candidates", specs.size(),
                    options.quiet ? ProgressStyle::Quiet : ProgressStyle::Bar);
  for (const std::string &spec : specs) {
    Options each = options;
    each.targets = {spec};
    each.quiet = true; // one bar at a time
    Trial trial = tryProgram(each);
    progress.step();
    if (trial.status)
      return trial.status;
    if (first && !agrees(*first, trial, options))
      return fail("'" + spec +
                  "' gives other results than the first candidate");
    // Behind its last candidate a model repeats that.
    if (!note(trial, problems))
      break;
    if (!first)
      first = std::move(trial);
  }
  progress.clear();
  if (problems.empty())
    return fail("the program has no kernels whose block sizes could be chosen");
  for (const auto &[text, problem] : problems) {
    auto best = problem.seconds.begin();
    for (auto it = best; it != problem.seconds.end(); ++it)
      if (it->second < best->second)
        best = it;
    double before = problem.seconds.at(problem.first);
    std::printf("%s\n  %-20s %10.3f us\n  %-20s %10.3f us, best of %zu\n",
                text.c_str(), problem.first.c_str(), before * 1e6,
                best->first.c_str(), best->second * 1e6,
                problem.seconds.size());
    file << "{\"target\": " << quoted(problem.key)
         << ", \"problem\": " << quoted(text)
         << ", \"blocks\": " << listed(best->first)
         << ", \"nanoseconds\": " << int64_t(best->second * 1e9) << "}\n";
  }
  file.flush();
  return file ? 0 : fail("cannot write '" + options.tune + "'");
}
