//===- PackBytes.h - Vectors of bytes by permutations -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_PACK_BYTES_H
#define KILN_TARGETS_AMD_PACK_BYTES_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Makes vectors of bytes that are put together from words by v_perm_b32, which
/// takes four bytes of two words ("AMD Instinct MI300" instruction set manual).
/// LLVM shifts each byte to its place. Bytes of two words that go to two
/// results are taken at once, so that a thread transposes 4 x 4 bytes by eight
/// instructions.
struct PackBytes : llvm::PassInfoMixin<PackBytes> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_PACK_BYTES_H
