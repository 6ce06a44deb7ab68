// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPEC: name[:chip][,key=value...][,,key=value...], how users name a target.
// What follows the empty item is for the device driver alone.
#ifndef KILN_RUNTIME_SPEC_H
#define KILN_RUNTIME_SPEC_H

#include "kiln/System/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace kiln::runtime {

/// A target specification, taken apart.
struct Spec {
  std::string name;
  std::string chip;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::pair<std::string, std::string>> driverOptions;

  static Expected<Spec> parse(const std::string &text);
  std::string str() const;
};

/// The part of a SPEC that the compiler takes, and the items behind the empty
/// one: {"npu,slots=2", "cycles=on"} of "npu,slots=2,,cycles=on".
std::pair<std::string, std::string> splitDriverOptions(const std::string &spec);

} // namespace kiln::runtime

#endif
