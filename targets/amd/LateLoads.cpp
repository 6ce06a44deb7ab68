//===- LateLoads.cpp - Loads for a second product of a loop ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LateLoads.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace kiln;

bool amd::isLocal(Value address) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(address.getType());
  return type && type.getAddressSpace() == simt::kShared;
}

void amd::addSchedulingFence(OpBuilder &b, Location loc, int classes) {
  LLVM::CallIntrinsicOp::create(b, loc,
                                b.getStringAttr("llvm.amdgcn.sched.barrier"),
                                ValueRange{arith::ConstantIntOp::create(
                                    b, loc, b.getI32Type(), classes)});
}

static bool writesLocal(Operation *op) {
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return amd::isLocal(store.getAddr());
  auto store = dyn_cast<simt::StoreOp>(op);
  return store && amd::isLocal(store.getAddress());
}

/// The last operation of a loop's body that puts a loaded value into LDS; null
/// if a product, another iteration or something else without a result takes
/// the value.
static Operation *findWrite(Block &body, Operation *load) {
  Operation *last = nullptr;
  SmallVector<Operation *> work = {load};
  SmallPtrSet<Operation *, 32> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (user->getBlock() != &body || isa<simt::MmaOp>(user) ||
          (!user->getNumResults() && !writesLocal(user)))
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

void amd::postponeLoads(Block &body, Operation *place,
                        ArrayRef<Operation *> loads, ArrayRef<Value> loaded) {
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
