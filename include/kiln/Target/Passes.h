//===- Passes.h - Passes that bind modules to targets -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_PASSES_H
#define KILN_TARGET_PASSES_H

#include <memory>

namespace mlir {
class Pass;
}

namespace kiln::target {

/// `kiln-set-target{spec=SPEC}`: attaches `kiln.spec` and `kiln.target`.
std::unique_ptr<mlir::Pass> createSetTargetPass();
/// `kiln-target-pipeline`: the pipeline of the module's target.
std::unique_ptr<mlir::Pass> createTargetPipelinePass();
/// `prim-claim`: lets the module's target claim prim operations.
std::unique_ptr<mlir::Pass> createPrimClaimPass();

/// `prim-inline-claims`: undoes claims that no schedule of the target takes.
std::unique_ptr<mlir::Pass> createInlineClaimsPass();

/// Registers the passes of this folder.
void registerTargetPasses();

} // namespace kiln::target

#endif // KILN_TARGET_PASSES_H
