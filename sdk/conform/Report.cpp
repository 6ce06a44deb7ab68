// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting and printing.
#include "Report.h"
#include <algorithm>
#include <cstdio>
#include <regex>
#include <set>

using namespace kiln::conform;
using namespace kiln::runtime;

void Counts::add(const Verdict &verdict) {
  bool isDeclared = !verdict.declaration.empty();
  switch (verdict.status) {
  case Verdict::passed:
    ++(isDeclared ? unexpected : passed);
    if (verdict.share > worstShare) {
      worstShare = verdict.share;
      worstBound = verdict.bound;
      worstError = verdict.error;
    }
    break;
  case Verdict::failed:
    ++(isDeclared ? declared : failed);
    break;
  case Verdict::declined:
    ++declined;
    break;
  case Verdict::unsupported:
    ++unsupported;
    break;
  case Verdict::invalid:
    ++invalid;
    break;
  case Verdict::notRun:
    ++notRun;
    break;
  }
}

Error kiln::conform::applyDeclarations(Results &results) {
  const std::string kSometimes = "sometimes ";
  auto isSometimes = [&](const Declaration &declaration) {
    return declaration.pattern.compare(0, kSometimes.size(), kSometimes) == 0;
  };
  int64_t cases = 0, matched = 0;
  std::vector<std::pair<std::regex, const Declaration *>> patterns;
  for (const Declaration &declaration : results.declarations) {
    if (declaration.reason.find_first_not_of(" \t") == std::string::npos)
      return Error("the declaration '" + declaration.pattern +
                   "' gives no reason of the hardware");
    try {
      size_t begin = isSometimes(declaration) ? kSometimes.size() : 0;
      patterns.push_back(
          {std::regex(declaration.pattern.substr(begin)), &declaration});
    } catch (const std::regex_error &error) {
      return Error("the declaration '" + declaration.pattern +
                   "' is not a regular expression: " + error.what());
    }
  }
  for (size_t m = 0; m < results.modules.size(); ++m)
    for (size_t i = 0; i < results.verdicts[m].size(); ++i) {
      const ReadyModule &module = results.modules[m];
      const Program &program = module.module.programs[module.cases[i].program];
      std::string name = caseName(program, program.calls[module.cases[i].call]);
      Verdict &verdict = results.verdicts[m][i];
      ++cases;
      for (const auto &[pattern, declaration] : patterns)
        if (std::regex_search(name, pattern)) {
          ++matched;
          if (verdict.status == Verdict::failed ||
              (verdict.status == Verdict::passed && !isSometimes(*declaration)))
            verdict.declaration = declaration->reason;
          break;
        }
    }
  if (matched * 50 > cases && matched)
    return Error("declarations match " + std::to_string(matched) + " of " +
                 std::to_string(cases) + " cases, more than 2%");
  return Error::success();
}

Counts kiln::conform::countAll(const Results &results) {
  Counts counts;
  forEachCase(results, [&](const ReadyModule &module, const Ready &one,
                           const Verdict &verdict) {
    counts.add(verdict);
    counts.independent += module.module.programs[one.program].variant != "-";
  });
  return counts;
}

Matrix kiln::conform::matrixOf(const Results &results) {
  Matrix matrix;
  forEachCase(results, [&](const ReadyModule &module, const Ready &one,
                           const Verdict &verdict) {
    const Program &program = module.module.programs[one.program];
    matrix[program.level + "/" + program.op][program.type].add(verdict);
  });
  return matrix;
}

bool kiln::conform::isFailure(const Results &results) {
  Counts counts = countAll(results);
  return counts.failed || counts.unexpected || counts.invalid ||
         !results.broken.empty();
}

std::string kiln::conform::reproduction(const Results &results,
                                        const std::string &name, uint64_t own) {
  std::string pattern;
  for (char c : name) {
    if (std::string_view(".+*?()[]{}|^$\\").find(c) != std::string_view::npos)
      pattern += '\\';
    pattern += c;
  }
  uint64_t number = own ? own : results.seed;
  std::string seed = number == 1 ? "" : " --seed=" + std::to_string(number);
  const std::string random = "tile/random/";
  if (name.compare(0, random.size(), random) == 0) {
    size_t at = name.find("/program") + std::string("/program").size();
    seed += " --random=" + std::to_string(std::atoi(name.c_str() + at) + 1);
  }
  return "kiln-conform --target='" + results.target + "' --filter='^" +
         pattern + "$'" + seed;
}

namespace {

/// Cases of one program with the same fate: one is shown.
struct Group {
  std::string program, first, message;
  uint64_t seed = 0; ///< of the first's call
  int64_t count = 0;
};

/// Prints groups, `most` of them.
void printGroups(const char *title, const std::vector<Group> &groups,
                 size_t most, const Results *reproduce) {
  for (size_t i = 0; i < groups.size() && i < most; ++i) {
    const Group &group = groups[i];
    std::printf("%s %s: %s%s\n", title, group.first.c_str(),
                group.message.c_str(),
                group.count > 1 ? (" (and " + std::to_string(group.count - 1) +
                                   " more cases of " + group.program + ")")
                                      .c_str()
                                : "");
    if (reproduce)
      std::printf("  reproduce: %s\n",
                  reproduction(*reproduce, group.first, group.seed).c_str());
  }
  if (groups.size() > most)
    std::printf("%s ... and %zu more programs (--json has all)\n", title,
                groups.size() - most);
}

/// Collects the cases of one fate by program.
template <typename Fn>
std::vector<Group> groupsOf(const Results &results, Fn belongs) {
  std::vector<Group> groups;
  std::map<std::string, size_t> numbers;
  forEachCase(results, [&](const ReadyModule &module, const Ready &one,
                           const Verdict &verdict) {
    if (!belongs(verdict))
      return;
    const Program &program = module.module.programs[one.program];
    auto [at, isNew] = numbers.try_emplace(program.id, groups.size());
    const Call &call = program.calls[one.call];
    if (isNew)
      groups.push_back({program.id, caseName(program, call),
                        program.op + ": " + verdict.message, call.seed, 0});
    ++groups[at->second].count;
  });
  return groups;
}

/// Declines by their reasons, those of the most cases first.
void printDeclined(const Results &results, size_t most) {
  std::map<std::string, int64_t> reasons;
  forEachCase(results,
              [&](const ReadyModule &, const Ready &, const Verdict &verdict) {
                if (verdict.status == Verdict::declined ||
                    verdict.status == Verdict::unsupported)
                  ++reasons[withoutPlace(verdict.message)];
              });
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto &[reason, count] : reasons)
    sorted.emplace_back(-count, reason);
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < std::min(most, sorted.size()); ++i)
    std::printf("declined, %lld cases: %s\n",
                static_cast<long long>(-sorted[i].first),
                sorted[i].second.c_str());
  if (sorted.size() > most)
    std::printf("declined ... and for %zu more reasons (--json has all)\n",
                sorted.size() - most);
}

} // namespace

std::string kiln::conform::withoutPlace(std::string reason) {
  for (size_t at; (at = reason.find(" (at ")) != std::string::npos;) {
    size_t end = reason.find(')', at);
    if (end == std::string::npos)
      break;
    reason.erase(at, end + 1 - at);
  }
  return reason;
}

void kiln::conform::printText(const Results &results) {
  constexpr size_t kMost = 40;
  Counts counts = countAll(results);
  printGroups("FAILED",
              groupsOf(results,
                       [](const Verdict &v) {
                         return v.status == Verdict::failed &&
                                v.declaration.empty();
                       }),
              kMost, &results);
  printGroups("UNEXPECTED PASS",
              groupsOf(results,
                       [](const Verdict &v) {
                         return v.status == Verdict::passed &&
                                !v.declaration.empty();
                       }),
              kMost, &results);
  printGroups(
      "INVALID",
      groupsOf(results,
               [](const Verdict &v) { return v.status == Verdict::invalid; }),
      kMost, &results);
  for (const auto &[module, reason] : results.broken)
    std::printf("BROKEN %s: %s\n", module.c_str(), reason.c_str());
  printDeclined(results, kMost);
  for (const std::string &op : results.uncovered)
    std::printf("not covered: %s has no case and no reason why\n", op.c_str());
  std::set<std::string> ops;
  forEachCase(results, [&](const ReadyModule &module, const Ready &one,
                           const Verdict &) {
    ops.insert(module.module.programs[one.program].op);
  });
  std::string last =
      results.seeds > 1
          ? " to " + std::to_string(results.seed + results.seeds - 1)
          : "";
  std::printf("target %s, seed %llu%s: %lld cases of %zu operations\n",
              results.target.c_str(),
              static_cast<unsigned long long>(results.seed), last.c_str(),
              static_cast<long long>(counts.all()), ops.size());
  std::printf("%lld passed, %lld failed, %lld declared failures, %lld "
              "unexpected passes, %lld declined, %lld unsupported by table, "
              "%lld invalid, %lld not run\n",
              static_cast<long long>(counts.passed),
              static_cast<long long>(counts.failed),
              static_cast<long long>(counts.declared),
              static_cast<long long>(counts.unexpected),
              static_cast<long long>(counts.declined),
              static_cast<long long>(counts.unsupported),
              static_cast<long long>(counts.invalid),
              static_cast<long long>(counts.notRun));
  std::printf("prepared in %.1f s, run in %.1f s; the largest error is %.2g of "
              "its bound\n",
              results.prepareSeconds, results.runSeconds, counts.worstShare);
}
