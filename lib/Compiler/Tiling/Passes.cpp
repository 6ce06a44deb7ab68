//===- Passes.cpp - Registration of the passes that choose sizes ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Tiling/Passes.h"

namespace kiln::tiling {
#define GEN_PASS_REGISTRATION
#include "kiln/Tiling/Passes.h.inc"

void registerTilingPasses() { registerKilnTilingPasses(); }
} // namespace kiln::tiling
