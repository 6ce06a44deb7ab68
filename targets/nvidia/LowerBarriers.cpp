//===- LowerBarriers.cpp - Barriers whose wait stands apart ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerBarriers.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;

bool nvidia::isOfSplitBarriers(Operation *op) {
  return isa<simt::CreateSplitBarrierOp, simt::ArriveOp, simt::AwaitOp>(op);
}

static Value objectAt(OpBuilder &b, Location loc, int64_t place) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), simt::kShared);
  Value base = LLVM::AddressOfOp::create(b, loc, type, simt::kSharedSymbol);
  return LLVM::GEPOp::create(b, loc, type, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(place)});
}

/// One thread makes the object.
static LogicalResult create(simt::CreateSplitBarrierOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto threads = function->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName());
  if (!threads || threads.empty())
    return op.emitOpError("expected a function with the attribute '")
           << NVVM::NVVMDialect::getReqntidAttrName() << "' around it";
  Type i32 = b.getI32Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, i32, value);
  };
  Value thread = NVVM::ThreadIdXOp::create(b, loc, i32);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        thread, number(0));
  scf::IfOp::create(b, loc, isFirst, [&](OpBuilder &inside, Location loc) {
    Value object = objectAt(inside, loc, op.getPlace());
    Value count = arith::ConstantIntOp::create(inside, loc, i32, threads[0]);
    NVVM::MBarrierInitOp::create(inside, loc, object, count,
                                 /*predicate=*/Value());
    scf::YieldOp::create(inside, loc);
  });
  return success();
}

/// `mbarrier.try_wait` may give up before the phase is over.
static void await(simt::AwaitOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value object = objectAt(b, loc, op.getPlace());
  scf::WhileOp::create(
      b, loc, TypeRange(), ValueRange(),
      [&](OpBuilder &inside, Location loc, ValueRange) {
        Value isOver = NVVM::MBarrierTryWaitOp::create(
            inside, loc, inside.getI1Type(), object, op.getPhase(),
            /*ticks=*/Value());
        Value yes = arith::ConstantIntOp::create(inside, loc, 1, 1);
        scf::ConditionOp::create(
            inside, loc, arith::XOrIOp::create(inside, loc, isOver, yes),
            ValueRange());
      },
      [](OpBuilder &inside, Location loc, ValueRange) {
        scf::YieldOp::create(inside, loc);
      });
}

LogicalResult nvidia::lowerClusterBarrier(tile::ClusterBarrierOp op,
                                          OpBuilder &b) {
  ArrayRef<int64_t> shape = op.getShape();
  if (shape[1] != 1 || shape[2] != 1)
    return op.emitError("unsupported: a cluster along y or z");
  // By default the arrival releases, and the wait acquires.
  NVVM::ClusterArriveOp::create(b, op.getLoc(), b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, op.getLoc(), b.getUnitAttr());
  op->getParentOfType<LLVM::LLVMFuncOp>()->setAttr(
      NVVM::NVVMDialect::getClusterDimAttrName(),
      b.getDenseI32ArrayAttr({int32_t(shape[0]), 1, 1}));
  return success();
}

LogicalResult nvidia::lowerSplitBarrier(Operation *op, OpBuilder &b) {
  if (auto made = dyn_cast<simt::CreateSplitBarrierOp>(op))
    return create(made, b);
  if (auto wait = dyn_cast<simt::AwaitOp>(op)) {
    await(wait, b);
    return success();
  }
  auto arrive = cast<simt::ArriveOp>(op);
  Value phase = NVVM::MBarrierArriveOp::create(
                    b, op->getLoc(), b.getI64Type(),
                    objectAt(b, op->getLoc(), arrive.getPlace()),
                    /*count=*/Value())
                    .getRes();
  arrive.getPhase().replaceAllUsesWith(phase);
  return success();
}
