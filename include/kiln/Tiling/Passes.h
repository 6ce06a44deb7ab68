//===- Passes.h - Passes that choose block sizes ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TILING_PASSES_H
#define KILN_TILING_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::tiling {

#define GEN_PASS_DECL
#include "kiln/Tiling/Passes.h.inc"

/// Registers every pass of this header.
void registerTilingPasses();

} // namespace kiln::tiling

#endif // KILN_TILING_PASSES_H
