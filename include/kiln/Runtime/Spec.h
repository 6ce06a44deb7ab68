// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPEC: name[:chip][,key=value...], how users name a target.
#ifndef KILN_RUNTIME_SPEC_H
#define KILN_RUNTIME_SPEC_H

#include "kiln/Runtime/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace kiln::runtime {

/// A target specification, taken apart.
struct Spec {
  std::string name;
  std::string chip;
  std::vector<std::pair<std::string, std::string>> options;

  static Expected<Spec> parse(const std::string &text);
  std::string str() const;
};

} // namespace kiln::runtime

#endif
