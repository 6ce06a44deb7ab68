// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choosing among the cases of a suite.
#include "Select.h"
#include "Values.h"
#include <algorithm>
#include <map>
#include <regex>

using namespace kiln::conform;
using namespace kiln::runtime;

std::vector<std::string> kiln::conform::cutText(const Module &module) {
  std::vector<std::string> parts;
  size_t at = 0;
  for (size_t i = 0; i < module.programs.size(); ++i) {
    size_t next = std::string::npos;
    if (i + 1 < module.programs.size())
      for (const char *keyword : {"tile.kernel @", "func.func @"}) {
        std::string head = keyword + module.programs[i + 1].entry + "(";
        next = std::min(next, module.text.find(head, at));
      }
    parts.push_back(module.text.substr(at, next - at));
    at = next == std::string::npos ? module.text.size() : next;
  }
  return parts;
}

namespace {

struct Chosen {
  Program program;
  std::string text;
};

Expected<std::vector<Chosen>> choose(const Suite &suite,
                                     const Selection &selection) {
  std::regex filter;
  try {
    filter = std::regex(selection.filter);
  } catch (const std::regex_error &error) {
    return Error("--filter is not a regular expression: " +
                 std::string(error.what()));
  }
  std::vector<Chosen> chosen;
  for (const Module &module : suite.modules) {
    if (!selection.level.empty() && module.level != selection.level)
      continue;
    std::vector<std::string> parts = cutText(module);
    for (size_t i = 0; i < module.programs.size(); ++i) {
      Program program = module.programs[i];
      const auto &profiles = program.profiles;
      if (!selection.profile.empty() &&
          std::find(profiles.begin(), profiles.end(), selection.profile) ==
              profiles.end())
        continue;
      if (!selection.filter.empty()) {
        auto &calls = program.calls;
        calls.erase(std::remove_if(calls.begin(), calls.end(),
                                   [&](const Call &call) {
                                     return !std::regex_search(
                                         caseName(program, call), filter);
                                   }),
                    calls.end());
        if (calls.empty())
          continue;
      }
      chosen.push_back({std::move(program), parts[i]});
    }
  }
  return chosen;
}

/// Leaves so many calls, by the seed, and the programs that have one.
void sample(std::vector<Chosen> &chosen, uint64_t most, uint64_t seed) {
  std::vector<uint64_t> hashes;
  auto hash = [&](const Program &program, const Call &call) {
    return hashOf(caseName(program, call), seed);
  };
  for (const Chosen &one : chosen)
    for (const Call &call : one.program.calls)
      hashes.push_back(hash(one.program, call));
  if (hashes.size() <= most)
    return;
  auto last = hashes.begin() + long(most) - 1;
  std::nth_element(hashes.begin(), last, hashes.end());
  uint64_t largest = *last;
  for (Chosen &one : chosen) {
    auto &calls = one.program.calls;
    calls.erase(std::remove_if(calls.begin(), calls.end(),
                               [&](const Call &call) {
                                 return hash(one.program, call) > largest;
                               }),
                calls.end());
  }
  chosen.erase(std::remove_if(
                   chosen.begin(), chosen.end(),
                   [](const Chosen &one) { return one.program.calls.empty(); }),
               chosen.end());
}

} // namespace

Expected<Suite> kiln::conform::select(const Suite &suite,
                                      const Selection &selection,
                                      size_t perModule) {
  Expected<std::vector<Chosen>> chosen = choose(suite, selection);
  if (!chosen)
    return chosen.takeError();
  if (selection.cases)
    sample(*chosen, selection.cases, selection.seed);
  if (selection.isShuffled)
    std::sort(chosen->begin(), chosen->end(),
              [&](const Chosen &a, const Chosen &b) {
                return hashOf(a.program.id, selection.seed) <
                       hashOf(b.program.id, selection.seed);
              });
  Suite result;
  result.exempt = suite.exempt;
  result.uncovered = suite.uncovered;
  // A module is of one level; those of a sample take turns.
  std::map<std::string, Module> open;
  size_t count = 0;
  auto close = [&](Module &module) {
    module.name = "m" + std::to_string(count++);
    result.modules.push_back(std::move(module));
    module = Module();
  };
  for (Chosen &one : *chosen) {
    Module &module = open[one.program.level];
    module.level = one.program.level;
    module.text += one.text;
    module.programs.push_back(std::move(one.program));
    if (module.programs.size() >= perModule)
      close(module);
  }
  for (auto &[level, module] : open)
    if (!module.programs.empty())
      close(module);
  return result;
}

std::vector<std::pair<std::string, size_t>>
kiln::conform::profilesOf(const Suite &suite) {
  std::map<std::string, size_t> counts;
  for (const Module &module : suite.modules)
    for (const Program &program : module.programs)
      for (const std::string &profile : program.profiles)
        counts[profile] += program.calls.size();
  return {counts.begin(), counts.end()};
}
