// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch has beyond arguments and grid: written by targets, carried by
// packages, given to drivers as kiln-c/Device.h has it.
#ifndef KILN_RUNTIME_LAUNCH_H
#define KILN_RUNTIME_LAUNCH_H

#include "kiln/Runtime/Expression.h"

namespace kiln::runtime {

/// What a launch has beyond its grid; docs/package.md has the list. The driver
/// gets it as a KilnLaunchAttribute.
struct LaunchAttribute {
  uint32_t tag = 0;
  bool isRequired = false; ///< a driver that does not know it must not run
  std::vector<Expression> values; ///< one to three
};

/// "threads"; "own.N" for tags of a target and its driver. Empty: no such tag.
std::string launchAttributeName(uint32_t tag);
std::optional<uint32_t> launchAttributeTag(std::string_view name);
/// How many values an attribute may have, at most.
size_t launchAttributeArity(uint32_t tag);

/// A view that the driver encodes by a recipe of this name, over words.
struct Recipe {
  uint32_t param = 0;
  std::string name;
  std::vector<Expression> words;
};

/// Memory that a kernel needs for the time of a launch. It comes as a last
/// argument behind its parameters, a view of u8.
struct Workspace {
  Expression bytes;
  bool isZeroed = false;
};

/// "threads 128, cluster 2 x 1"; a `!` marks what a driver must know.
std::string attributesText(const std::vector<LaunchAttribute> &attributes);

} // namespace kiln::runtime

#endif
