//===- SharedSteps.h - Address steps of guarded accesses --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_SHAREDSTEPS_H
#define KILN_TARGETS_AMD_SHAREDSTEPS_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Accesses that have a branch each, as masks without hardware bounds have,
/// take the same steps to their addresses behind these branches: none of the
/// blocks dominates another one, so that LLVM leaves the steps there. Takes
/// each step once, in front of the branches.
struct SharedSteps : llvm::PassInfoMixin<SharedSteps> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_SHAREDSTEPS_H
