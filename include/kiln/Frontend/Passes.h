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

/// Reports shapes as values of more numbers than any rank asks for. It is for
/// modules that are not verified yet: upstream's verifiers walk such a shape,
/// whose length a type announces, from end to end.
llvm::LogicalResult checkShapes(mlir::ModuleOp module);

/// Registers the passes above.
void registerFrontendPasses();

} // namespace kiln::frontend

#endif // KILN_FRONTEND_PASSES_H
