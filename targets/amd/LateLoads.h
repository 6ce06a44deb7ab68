//===- LateLoads.h - Loads for a second product of a loop -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_LATELOADS_H
#define KILN_TARGETS_AMD_LATELOADS_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kiln::amd {

/// Keeps instructions where they are, but for those of the classes (LLVM's
/// AMDGPU guide, "llvm.amdgcn.sched.barrier").
inline void addSchedulingFence(mlir::OpBuilder &b, mlir::Location loc,
                               int classes) {
  using namespace mlir;
  LLVM::CallIntrinsicOp::create(b, loc,
                                b.getStringAttr("llvm.amdgcn.sched.barrier"),
                                ValueRange{arith::ConstantIntOp::create(
                                    b, loc, b.getI32Type(), classes)});
}

/// The last operation of a loop's body that puts a loaded value into LDS; null
/// if a product or another iteration takes the value.
inline mlir::Operation *findWrite(mlir::Block &body, mlir::Operation *load) {
  using namespace mlir;
  Operation *last = nullptr;
  SmallVector<Operation *> work = {load};
  llvm::SmallPtrSet<Operation *, 32> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (user->getBlock() != &body || isa<simt::MmaOp>(user) ||
          user == body.getTerminator())
        return nullptr;
      if (!seen.insert(user).second)
        continue;
      if (user->getNumResults())
        work.push_back(user);
      else if (!last || last->isBeforeInBlock(user))
        last = user;
    }
  return last;
}

/// Moves those of the `loaded` values of the next iteration, at `place`, whose
/// `loads` of this iteration are written to LDS later. They follow that write
/// and take the registers: values of two iterations would need registers for
/// both, and copies between them that wait for the loads.
inline void postponeLoads(mlir::Block &body, mlir::Operation *place,
                          llvm::ArrayRef<mlir::Operation *> loads,
                          llvm::ArrayRef<mlir::Value> loaded) {
  using namespace mlir;
  Operation *write = nullptr;
  SmallVector<Operation *> late;
  for (Operation *load : loads) {
    Operation *made = loaded.front().getDefiningOp();
    loaded = loaded.drop_front(load->getNumResults());
    Operation *last = findWrite(body, load);
    if (!last || !place->isBeforeInBlock(last) || made->getNumRegions())
      continue;
    late.push_back(made);
    if (!write || write->isBeforeInBlock(last))
      write = last;
  }
  if (!write)
    return;
  // Arithmetic, matrix instructions and reads of LDS pass.
  constexpr int kPassing = 0x50f;
  OpBuilder b(write->getContext());
  b.setInsertionPointAfter(write);
  addSchedulingFence(b, write->getLoc(), kPassing);
  for (Operation *op : late) {
    op->remove();
    b.insert(op);
  }
  addSchedulingFence(b, write->getLoc(), kPassing);
}

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_LATELOADS_H
