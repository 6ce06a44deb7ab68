//===- Passes.cpp - Registration of the passes on host programs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Program/Passes.h"
#include "kiln/Dialect/Program/Program.h"

namespace kiln::program {
#define GEN_PASS_REGISTRATION
#include "kiln/Transforms/Program/Passes.h.inc"

void registerProgramPasses() { registerKilnProgramPasses(); }
} // namespace kiln::program
