// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of host programs in packages.
#include "ProgramJson.h"

using namespace kiln::runtime;

const char *kiln::runtime::intOpName(IntOp op) {
  static const char *const names[kNumIntOps] = {
      "add", "sub", "mul", "floordiv", "ceildiv", "mod", "min", "max", "eq",
      "ne",  "lt",  "le",  "gt",       "ge",      "and", "or",  "xor", "mov"};
  auto index = static_cast<unsigned>(op);
  return index < kNumIntOps ? names[index] : "?";
}

const char *kiln::runtime::domainName(Domain domain) {
  static const char *const names[] = {"", "nonzero", "nonnegative", "positive"};
  return names[static_cast<unsigned>(domain)];
}
