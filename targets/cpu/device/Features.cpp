// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what code needs with what this machine has.
#include "Features.h"
#include "CodeFeatures.h"
#include "CpuDevice.h"
#include <algorithm>
#include <cstdlib>

using namespace kiln::cpu_target;

namespace {

bool contains(const std::vector<std::string> &list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool isArchitecture(std::string_view name) {
  return std::find(std::begin(kArchitectures), std::end(kArchitectures),
                   name) != std::end(kArchitectures);
}

/// N of a requirement `PREFIXN`; 0 for any other name.
uint64_t lengthIn(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix)
    return 0;
  std::string number(name.substr(prefix.size()));
  char *end = nullptr;
  uint64_t bits = std::strtoul(number.c_str(), &end, 10);
  return number.empty() || *end ? 0 : bits;
}

/// What is said of one requirement that is not met.
struct Verdict {
  enum Kind { Met, Lacking, Unknown } kind = Met;
  std::string text;
};

Verdict judgeLength(std::string_view name, uint64_t wanted, uint64_t found,
                    const char *what) {
  if (fitsVectors(wanted, found))
    return {};
  std::string has = found ? what + std::to_string(found) + " bits"
                          : std::string("it has none of that kind");
  return {Verdict::Lacking, std::string(name) + " (" + has + ")"};
}

Verdict judge(const std::string &name, bool isHidden) {
  if (name == kArchitecture)
    return {};
  if (!isHidden) {
    if (uint64_t bits = lengthIn(name, kVectorBits))
      return judgeLength(name, bits, vectorBits(), "its registers have ");
    if (uint64_t bits = lengthIn(name, kStreamingBits))
      return judgeLength(name, bits, streamingBits(),
                         "in streaming mode its registers have ");
    if (isUnusedFeature(name))
      return {};
  }
  std::optional<bool> has = hasFeature(name);
  if (has == true && !isHidden)
    return {};
  bool isKnown = has || isUnusedFeature(name) || lengthIn(name, kVectorBits) ||
                 lengthIn(name, kStreamingBits);
  return {isKnown ? Verdict::Lacking : Verdict::Unknown, name};
}

} // namespace

bool kiln::cpu_target::checkFeatures(const Options &options,
                                     std::string &problem) {
  for (const std::string &name : options.hidden)
    if (!isUnusedFeature(name) && !hasFeature(name) &&
        !lengthIn(name, kVectorBits) && !lengthIn(name, kStreamingBits)) {
      problem = "hide: '" + name + "' is not the name of a feature";
      return false;
    }
  for (const std::string &name : options.required)
    if (isArchitecture(name) && name != kArchitecture) {
      problem = "the code is for " + name + ", and this machine is " +
                std::string(kArchitecture);
      return false;
    }
  std::string missing, unknown;
  for (const std::string &name : options.required) {
    Verdict verdict = judge(name, contains(options.hidden, name));
    if (verdict.kind == Verdict::Met)
      continue;
    std::string &list = verdict.kind == Verdict::Lacking ? missing : unknown;
    list += (list.empty() ? "" : ", ") + verdict.text;
  }
  if (!missing.empty())
    problem = "this machine lacks " + missing;
  if (!unknown.empty())
    problem +=
        (problem.empty() ? "" : "; ") +
        ("the code needs features that this driver does not know: " + unknown);
  return problem.empty();
}
