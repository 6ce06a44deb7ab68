// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs in accesses to memory, in masks and in atomic accesses.
#include "Bugs.h"
#include "kiln/Dialect/Tile/KernelOps.h"

using namespace bugs;

/// Adds a number to the last coordinate of an access.
static void moveLast(Operation *op, OperandRange coords, int64_t by) {
  if (coords.empty())
    return;
  Site s(op);
  Value last = coords.back();
  Value moved =
      s.make<arith::AddIOp>(last, s.constant(last.getType(), double(by)));
  op->setOperand(coords.getBeginOperandIndex() + coords.size() - 1, moved);
}

static void addViewBugs() {
  add<tile::LoadOp>("nan-padding-is-zero", [](tile::LoadOp op) {
    if (op.getPadding() == tile::Padding::nan)
      op.setPadding(tile::Padding::zero);
  });
  add<tile::LoadOp>("padding-value-is-lost", [](tile::LoadOp op) {
    if (op.getPadding() == tile::Padding::value) {
      op.getPadMutable().clear();
      op.setPadding(tile::Padding::zero);
    }
  });
  add<tile::LoadOp>("load-one-off", [](tile::LoadOp op) {
    if (op.getElementOffsets())
      moveLast(op, op.getCoords(), 1);
  });
  add<tile::LoadOp>("load-step-is-one",
                    [](tile::LoadOp op) { op.removeStepAttr(); });
  add<tile::StoreOp>("store-one-off", [](tile::StoreOp op) {
    if (op.getElementOffsets())
      moveLast(op, op.getCoords(), 1);
  });
  add<tile::StoreOp>("store-does-not-combine", [](tile::StoreOp op) {
    op.setCombine(tile::Combine::assign);
  });
  add<tile::StoreOp>("store-max-is-unsigned", [](tile::StoreOp op) {
    if (op.getCombine() == tile::Combine::max &&
        isa<IntegerType>(getElementTypeOrSelf(op.getValue().getType())))
      op.setCombine(tile::Combine::umax);
  });
  add<tile::LoadGatherOp>("gather-next-row", [](tile::LoadGatherOp op) {
    Site s(op);
    op.getIndicesMutable().assign(s.make<arith::AddIOp>(
        op.getIndices(), s.constantLike(op.getIndices(), 1)));
  });
  add<tile::StoreScatterOp>("scatter-one-off", [](tile::StoreScatterOp op) {
    moveLast(op, op.getOffsets(), 1);
  });
  add<tile::ProgramIdOp>("program-ids-swapped", [](tile::ProgramIdOp op) {
    if (op.getNumResults() < 3)
      return;
    Site s(op);
    s.b.setInsertionPointAfter(op);
    auto again = cast<tile::ProgramIdOp>(s.b.clone(*op));
    op.getResult(0).replaceAllUsesWith(again.getResult(1));
    op.getResult(1).replaceAllUsesWith(again.getResult(0));
  });
  add<tile::NumBlocksOp>("last-block-is-lost", [](tile::NumBlocksOp op) {
    Site s(op);
    Value size = tile::DimOp::create(s.b, s.loc, op.getView(), op.getDim());
    Value block = s.constant(size.getType(), double(op.getBlock()));
    replace(op, s.make<arith::DivSIOp>(size, block));
  });
}

static void addPointerBugs() {
  add<tile::LoadPtrOp>("mask-edge", [](tile::LoadPtrOp op) {
    // One lane too few: a mask of less becomes one of what is less by one.
    if (!op.getMask())
      return;
    auto compare = op.getMask().getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return;
    Site s(op);
    Value limit = s.make<arith::SubIOp>(compare.getRhs(),
                                        s.constantLike(compare.getRhs(), 1));
    op.getMaskMutable().assign(
        s.make<arith::CmpIOp>(compare.getPredicate(), compare.getLhs(), limit));
  });
  add<tile::LoadPtrOp>("other-is-zero", [](tile::LoadPtrOp op) {
    if (!op.getOther())
      return;
    Site s(op);
    op.getOtherMutable().assign(s.constantLike(op.getOther(), 0));
  });
  add<tile::StorePtrOp>("store-mask-is-lost", [](tile::StorePtrOp op) {
    op.getMaskMutable().clear();
  });
  add<tile::PtrAddOp>("offsets-are-unsigned", [](tile::PtrAddOp op) {
    Type element = getElementTypeOrSelf(op.getOffset().getType());
    if (!element.isInteger(8))
      return;
    Site s(op);
    Type wide = s.like(op.getOffset().getType(), s.b.getI64Type());
    op.getOffsetMutable().assign(s.make<arith::ExtUIOp>(wide, op.getOffset()));
  });
  // Not wrong: it ends the process.
  add<tile::PtrAddOp>("pointers-lead-nowhere", [](tile::PtrAddOp op) {
    Site s(op);
    Type wide = s.like(op.getOffset().getType(), s.b.getI64Type());
    op.getOffsetMutable().assign(s.constant(wide, 1e15));
  });
  add<tile::AtomicRMWOp>("race", [](tile::AtomicRMWOp op) {
    // Read, add, write: whoever comes between is lost.
    if (op.getKind() != tile::AtomicKind::add || op.getMask())
      return;
    Site s(op);
    OperationState load(s.loc, tile::LoadPtrOp::getOperationName());
    auto loaded = tile::LoadPtrOp::create(s.b, s.loc, op.getResult().getType(),
                                          op.getPtr(), Value(), Value());
    Value sum = s.make<arith::AddIOp>(loaded, op.getValue());
    tile::StorePtrOp::create(s.b, s.loc, op.getPtr(), sum, Value());
    replace(op, loaded);
  });
  add<tile::AtomicRMWOp>("atomic-max-is-min", [](tile::AtomicRMWOp op) {
    if (op.getKind() == tile::AtomicKind::max)
      op.setKind(tile::AtomicKind::min);
  });
  add<tile::AtomicCASOp>("swaps-without-comparing", [](tile::AtomicCASOp op) {
    if (!isa<RankedTensorType>(op.getResult().getType()))
      return;
    Site s(op);
    auto swapped = tile::AtomicRMWOp::create(
        s.b, s.loc, op.getResult().getType(), tile::AtomicKind::exchange,
        op.getOrder(), op.getScope(), op.getPtr(), op.getValue(), Value());
    replace(op, swapped);
  });
}

void bugs::addMemoryBugs() {
  addViewBugs();
  addPointerBugs();
}
