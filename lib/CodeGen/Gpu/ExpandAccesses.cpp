//===- ExpandAccesses.cpp - Accesses with a mask as branches --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTEXPANDACCESSES
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
void expandLoad(simt::LoadOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  auto load = [&]() -> Value {
    return LLVM::LoadOp::create(b, loc, op.getType(), op.getAddress(),
                                op.getAlignment(), op.getIsVolatile());
  };
  Value result;
  if (!op.getMask()) {
    result = load();
  } else {
    auto choice =
        scf::IfOp::create(b, loc, TypeRange{op.getType()}, op.getMask(),
                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(choice.thenBlock());
    scf::YieldOp::create(b, loc, load());
    b.setInsertionPointToEnd(choice.elseBlock());
    Value other = op.getOther();
    if (!other)
      other = LLVM::PoisonOp::create(b, loc, op.getType());
    scf::YieldOp::create(b, loc, other);
    result = choice.getResult(0);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

void expandStore(simt::StoreOp op, OpBuilder &b) {
  OpBuilder::InsertionGuard guard(b);
  if (op.getMask()) {
    auto choice = scf::IfOp::create(b, op.getLoc(), op.getMask());
    b.setInsertionPointToStart(choice.thenBlock());
  }
  LLVM::StoreOp::create(b, op.getLoc(), op.getValue(), op.getAddress(),
                        op.getAlignment(), op.getIsVolatile());
  op.erase();
}

struct SimtExpandAccesses
    : simt::impl::SimtExpandAccessesBase<SimtExpandAccesses> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (isa<simt::LoadOp, simt::StoreOp>(op))
        accesses.push_back(op);
    });
    for (Operation *op : accesses) {
      OpBuilder b(op);
      if (auto load = dyn_cast<simt::LoadOp>(op))
        expandLoad(load, b);
      else
        expandStore(cast<simt::StoreOp>(op), b);
    }
  }
};
} // namespace
