// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on prim that serve every target, and their patterns.
#ifndef KILN_TRANSFORMS_PRIM_PASSES_H
#define KILN_TRANSFORMS_PRIM_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace kiln::prim {

#define GEN_PASS_DECL
#include "kiln/Transforms/Prim/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kiln/Transforms/Prim/Passes.h.inc"

/// Registers every pass on prim with the global pass registry.
inline void registerPrimPasses() { registerKilnPrimPasses(); }

/// Patterns that expand composites. Without names: all of them, else those
/// whose mnemonic is named.
void populateDecomposePatterns(mlir::RewritePatternSet &patterns,
                               llvm::ArrayRef<std::string> names = {});

/// Patterns that recover composites from simpler prims.
void populateRaisePatterns(mlir::RewritePatternSet &patterns);

/// Patterns that move reshapes and transposes towards the inputs and bring
/// dot_general into the form [B, M, K] x [B, K, N].
void populateSimplifyPatterns(mlir::RewritePatternSet &patterns);

} // namespace kiln::prim

#endif // KILN_TRANSFORMS_PRIM_PASSES_H
