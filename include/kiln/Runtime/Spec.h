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

/// The parts of a target specification, `name[:chip][,key=value...]`.
struct Spec {
  std::string name; ///< of the target
  std::string chip; ///< empty: the target's default
  /// Keys and values in order, for the compiler, and those behind `,,` for the
  /// device driver.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::pair<std::string, std::string>> driverOptions;

  /// Returns the parts of a text, or an error that names the wrong item.
  static Expected<Spec> parse(const std::string &text);
  /// Returns a text that `parse` reads as the same specification.
  std::string str() const;
};

/// Returns the part of a specification for the compiler, and the part behind
/// `,,` for the device driver: {"npu,slots=2", "cycles=on"} for
/// "npu,slots=2,,cycles=on".
std::pair<std::string, std::string> splitDriverOptions(const std::string &spec);

} // namespace kiln::runtime

#endif
