// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of launch attributes.
#include "kiln-c/Device.h"
#include "kiln/Runtime/Program.h"
#include <cstdlib>

using namespace kiln::runtime;

namespace {

struct Known {
  uint32_t tag;
  const char *name;
  size_t arity;
};
constexpr Known kKnown[] = {{KILN_LAUNCH_THREADS, "threads", 3},
                            {KILN_LAUNCH_CLUSTER, "cluster", 3},
                            {KILN_LAUNCH_LOCAL_BYTES, "local_bytes", 1},
                            {KILN_LAUNCH_REGISTERS, "registers", 1},
                            {KILN_LAUNCH_COOPERATIVE, "cooperative", 1},
                            {KILN_LAUNCH_PERSISTENT, "persistent", 1},
                            {KILN_LAUNCH_PRIORITY, "priority", 1},
                            {KILN_LAUNCH_RASTER, "raster", 1},
                            {KILN_LAUNCH_BARE, "bare", 1}};
constexpr std::string_view kOwn = "own.";

} // namespace

std::string kiln::runtime::launchAttributeName(uint32_t tag) {
  for (const Known &known : kKnown)
    if (known.tag == tag)
      return known.name;
  if (tag < KILN_LAUNCH_OWN)
    return "";
  return std::string(kOwn) + std::to_string(tag - KILN_LAUNCH_OWN);
}

std::optional<uint32_t>
kiln::runtime::launchAttributeTag(std::string_view name) {
  for (const Known &known : kKnown)
    if (known.name == name)
      return known.tag;
  if (name.substr(0, kOwn.size()) != kOwn || name.size() > kOwn.size() + 9 ||
      name.find_first_not_of("0123456789", kOwn.size()) != name.npos ||
      name.size() == kOwn.size())
    return std::nullopt;
  std::string number(name.substr(kOwn.size()));
  return KILN_LAUNCH_OWN + uint32_t(std::strtoul(number.c_str(), nullptr, 10));
}

size_t kiln::runtime::launchAttributeArity(uint32_t tag) {
  for (const Known &known : kKnown)
    if (known.tag == tag)
      return known.arity;
  return 3;
}
