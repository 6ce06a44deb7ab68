// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remainders of bf16.
#ifndef KILN_TARGETS_AMD_REMAINDERS_H
#define KILN_TARGETS_AMD_REMAINDERS_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Makes remainders of bf16, which the back end has no code for, those of f32,
/// which are exact. LLVM narrows what was written in f32.
struct Remainders : llvm::PassInfoMixin<Remainders> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_REMAINDERS_H
