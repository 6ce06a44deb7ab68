//===- Passes.h - Passes on the stage level ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_STAGING_PASSES_H
#define KILN_STAGING_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::staging {

#define GEN_PASS_DECL
#include "kiln/Staging/Passes.h.inc"

/// Registers every pass of this header.
void registerStagingPasses();

} // namespace kiln::staging

#endif // KILN_STAGING_PASSES_H
