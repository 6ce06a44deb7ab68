//===- NarrowBounds.h - Extents in 32 bits ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_NARROW_BOUNDS_H
#define KILN_TARGETS_AMD_NARROW_BOUNDS_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Computes how many elements of a tile are inside of a view in 32 bits. The
/// number is min(max(extent - begin, 0), size), of i64; scalar units have no
/// comparisons and minima of 64 bits, so that it takes twelve instructions.
/// Where extent and begin are extensions of i32, four suffice:
/// extent > begin ? umin(extent - begin, size) : 0.
struct NarrowBounds : llvm::PassInfoMixin<NarrowBounds> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_NARROW_BOUNDS_H
