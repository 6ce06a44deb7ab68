//===- ReuseDonated.cpp - Memory of arguments that are given up -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Transforms/Program/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace kiln::program {
#define GEN_PASS_DEF_PROGRAMREUSEDONATED
#include "kiln/Transforms/Program/Passes.h.inc"
} // namespace kiln::program

using namespace kiln;
using namespace kiln::program;

/// The operations that look at a buffer, through views of it, too.
static SmallVector<Operation *> usersOf(Value buffer) {
  SmallVector<Operation *> result;
  SmallVector<Value> open = {buffer};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      result.push_back(user);
      if (getViewedBuffer(user))
        open.push_back(user->getResult(0));
    }
  return result;
}

/// Whether nobody looks at the source of a copy behind it, and nobody at its
/// target before.
static bool canReplace(CopyOp copy, AllocOp target) {
  Block *block = copy->getBlock();
  auto isBeside = [&](Operation *user, bool before) {
    if (user == copy)
      return true;
    Operation *place = block->findAncestorOpInBlock(*user);
    return place && place != copy && place->isBeforeInBlock(copy) == before;
  };
  return llvm::all_of(usersOf(copy.getSource()),
                      [&](Operation *user) {
                        return isa<memref::DimOp>(user) || isBeside(user, true);
                      }) &&
         llvm::all_of(usersOf(target.getResult()), [&](Operation *user) {
           return isa<memref::DimOp>(user) || isBeside(user, false);
         });
}

namespace {
struct ProgramReuseDonatedPass
    : program::impl::ProgramReuseDonatedBase<ProgramReuseDonatedPass> {
  void runOnOperation() override {
    FuncOp function = getOperation();
    if (function.isExternal())
      return;
    for (BlockArgument argument : function.getBody().getArguments())
      if (target::getArgumentEntry(function, argument.getArgNumber(),
                                   target::kDonatedEntry))
        reuse(argument);
  }

  void reuse(BlockArgument argument) {
    for (Operation *user : argument.getUsers()) {
      auto copy = dyn_cast<CopyOp>(user);
      auto target =
          copy ? copy.getTarget().getDefiningOp<AllocOp>() : AllocOp();
      // A buffer on another device, or in a memory of its own, stays.
      if (!target || copy.getSource() != argument ||
          copy->getBlock() != argument.getOwner() ||
          target.getResult().getType() != argument.getType() ||
          target.getDevice() || target.getMemory() || target.getOffset() ||
          !canReplace(copy, target))
        continue;
      target.getResult().replaceAllUsesWith(argument);
      copy.erase();
      target.erase();
      target::setArgumentEntry(
          getOperation(), argument.getArgNumber(), target::kDonatedEntry,
          StringAttr::get(&getContext(), target::kWritten));
      return;
    }
  }
};
} // namespace
