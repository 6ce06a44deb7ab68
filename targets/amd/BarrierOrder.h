//===- BarrierOrder.h - Loads stay in front of barriers ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_BARRIERORDER_H
#define KILN_TARGETS_AMD_BARRIERORDER_H

#include "llvm/IR/PassManager.h"

namespace kiln::amd {

/// Keeps LLVM's back end from moving loads over barriers. Its pass MachineSink
/// moves a load into the branch that uses the value, and sees only stores as
/// obstacles: neither s_barrier nor the fences around it count, so that another
/// wave could overwrite LDS before the load. Places an empty inline assembly
/// that clobbers memory in front of each barrier. MachineSink takes that for a
/// store. It becomes no instruction and no wait. (LLVM's issue 181708.)
struct BarrierOrder : llvm::PassInfoMixin<BarrierOrder> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_BARRIERORDER_H
