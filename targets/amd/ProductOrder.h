//===- ProductOrder.h - Products stay in front of branches ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_PRODUCTORDER_H
#define KILN_TARGETS_AMD_PRODUCTORDER_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Keeps LLVM's back end from moving matrix instructions into a branch of some
/// lanes. MachineSink takes WMMA of gfx11 and scaled MFMA of gfx950 for
/// instructions that each lane executes by itself. It moves a matmul whose
/// result one branch alone uses into that branch, and with it the instructions
/// that compute the operands. The matmul reads the operands of all lanes, but
/// lanes outside of the branch have not computed theirs. An empty inline
/// assembly with a side effect, which takes the result, keeps it where it is.
/// It becomes no instruction. LLVM does not move other MFMA.
///
/// Accumulators that a loop carries, and results that another matmul of the
/// block adds to, cannot be moved and are left alone.
struct ProductOrder : llvm::PassInfoMixin<ProductOrder> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_PRODUCTORDER_H
