// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of f32 that are rounded to f16.
#ifndef KILN_TARGETS_AMD_ROUNDED_PRODUCTS_H
#define KILN_TARGETS_AMD_ROUNDED_PRODUCTS_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Adds -0 to products of f32 that are rounded to f16. The back end multiplies,
/// adds and rounds by one instruction, and adds +0 where the text adds nothing:
/// a product that is -0 would become +0. Of all numbers only -0 leaves each of
/// them as it is.
struct RoundedProducts : llvm::PassInfoMixin<RoundedProducts> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_ROUNDED_PRODUCTS_H
