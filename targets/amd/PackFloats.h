//===- PackFloats.h - Two numbers of f32 by one instruction -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_PACK_FLOATS_H
#define KILN_TARGETS_AMD_PACK_FLOATS_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Computes neighbours of a vector of f32 together: v_pk_mul_f32, v_pk_add_f32
/// and v_pk_fma_f32 of CDNA take two registers that follow each other. Results
/// of matrix instructions lie so, and what goes into them; LLVM packs what is
/// stored alone. The same operation has to be applied to both elements, with
/// operands that are equal, or neighbours, too. Of the sum of many computed
/// numbers, both halves are summed together.
struct PackFloats : llvm::PassInfoMixin<PackFloats> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_PACK_FLOATS_H
