//===- GuardedOffsets.h - Masks that offsets carry --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_GUARDED_OFFSETS_H
#define KILN_TARGETS_AMD_GUARDED_OFFSETS_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Takes the masks of gathers out of their offsets. A gather gets one offset
/// for each element, of which those that are outside of all bounds mask it:
/// mask ? offset : -1 is compared with the bounds before the access. Where the
/// offset is known to be inside, or no memory reaches the bound, the comparison
/// is the mask, and behind the branch on it the offset needs no selection.
struct GuardedOffsets : llvm::PassInfoMixin<GuardedOffsets> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_GUARDED_OFFSETS_H
