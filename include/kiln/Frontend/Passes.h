//===- Passes.h - Passes that read programs ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_FRONTEND_PASSES_H
#define KILN_FRONTEND_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::frontend {

#define GEN_PASS_DECL
#include "kiln/Frontend/Passes.h.inc"

/// Registers the passes above.
void registerFrontendPasses();

} // namespace kiln::frontend

#endif // KILN_FRONTEND_PASSES_H
