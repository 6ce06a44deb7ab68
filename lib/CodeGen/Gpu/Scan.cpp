//===- Scan.cpp - Scans and histograms ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scan.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Pred = arith::CmpIPredicate;

/// Prefixes double in length with each step: every element takes in what ends
/// right before it (Hillis and Steele, "Data parallel algorithms", 1986).
static LogicalResult lowerScan(tile::ScanOp op, ThreadWriter &w) {
  auto type = cast<RankedTensorType>(op.getSources()[0].getType());
  LayoutAttr layout = getLayout(op.getSources()[0]);
  for (Value value : op->getOperands())
    if (getLayout(value) != layout)
      return op.emitOpError("expected operands of one layout, as "
                            "'simt-assign-layouts' gives them");
  for (Value value : op.getResults())
    if (getLayout(value) != layout)
      return op.emitOpError("expected results of the operands' layout, as "
                            "'simt-assign-layouts' gives them");
  FailureOr<bool> byLevels = scanByLevels(w, op);
  if (failed(byLevels) || *byLevels)
    return byLevels;
  int64_t axis = op.getAxis(), size = type.getDimSize(axis);
  SmallVector<Regs> state;
  SmallVector<int64_t> places;
  for (Value value : op.getSources())
    state.push_back(w.registers(value));
  int64_t start = w.scratch(ThreadBuilder::placeTiles(op.getSources(), places));
  int64_t count = layout.getNumRegisters();
  for (int64_t step = 1; step < size; step *= 2) {
    if (step > 1)
      w.barrier();
    for (auto [regs, place] : llvm::zip_equal(state, places))
      w.writeTile(start + place, regs, layout, type.getShape());
    w.barrier();
    SmallVector<Regs> next = state;
    for (int64_t reg = 0; reg < count; ++reg) {
      SmallVector<Value> at;
      for (int64_t d = 0; d < type.getRank(); ++d)
        at.push_back(w.coordinate(layout, reg, d));
      Value here = at[axis], other, isThere;
      if (op.getReverse()) {
        other = w.add(here, w.c32(step));
        isThere = w.compare(Pred::slt, other, w.c32(size));
      } else {
        other = w.sub(here, w.c32(step));
        isThere = w.compare(Pred::sge, other, w.c32(0));
      }
      at[axis] = w.and_(other, w.c32(int64_t(llvm::PowerOf2Ceil(size)) - 1));
      Value place = w.position(at, type.getShape());
      SmallVector<Value> arguments;
      for (auto [regs, from] : llvm::zip_equal(state, places))
        arguments.push_back(
            w.readElement(start + from, place, regs[reg].getType()));
      for (const Regs &regs : state)
        arguments.push_back(regs[reg]);
      auto made = w.inlineRegion(op.getCombiner(), arguments);
      if (failed(made))
        return failure();
      for (auto [list, value] : llvm::zip_equal(next, *made))
        list[reg] = w.select(isThere, value, list[reg]);
    }
    state = std::move(next);
  }
  for (auto [result, regs] : llvm::zip_equal(op.getResults(), state))
    w.define(result, std::move(regs));
  return success();
}

static ScratchNeeds scanNeeds(tile::ScanOp op, const BlockShape &block) {
  if (auto bits = bitsOfScan(op, block.laneBits(), block.warpBits()))
    return needsByLevels(op, *bits, block);
  SmallVector<int64_t> places;
  return {{ThreadBuilder::placeTiles(op.getSources(), places)}};
}

static ScratchNeeds histogramNeeds(tile::HistogramOp op, const BlockShape &) {
  auto type = cast<RankedTensorType>(op.getType());
  return {{ThreadBuilder::tileBytes(type.getShape(),
                                    IntegerType::get(op.getContext(), 32))}};
}

static LogicalResult lowerHistogram(tile::HistogramOp op, ThreadWriter &w) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto type = cast<RankedTensorType>(op.getType());
  LayoutAttr from = getLayout(op.getSource()), to = getLayout(op.getResult());
  if (op.getMask() && getLayout(op.getMask()) != from)
    return op.emitOpError("has tiles of several layouts");
  Type i32 = w.b.getI32Type();
  int64_t bins = type.getDimSize(0);
  int64_t start = w.scratch(ThreadBuilder::tileBytes(type.getShape(), i32));
  w.writeTile(start, Regs(to.getNumRegisters(), w.c32(0)), to, type.getShape());
  w.barrier();
  Value first = w.isFirstCopy(from);
  for (auto [reg, value] : llvm::enumerate(w.registers(op.getSource()))) {
    Value number = value;
    unsigned bits = number.getType().getIntOrFloatBitWidth();
    if (bits < 64)
      number =
          w.b.createOrFold<arith::ExtSIOp>(w.loc, w.b.getI64Type(), number);
    Value mask = w.both(first, w.isElement(from, reg, source.getShape()));
    if (op.getMask())
      mask = w.both(mask, w.registers(op.getMask())[reg]);
    mask = w.both(mask, w.compare(Pred::ult, number, w.c64(bins)));
    w.guarded(mask, [&] {
      AtomicRMWOp::create(
          w.b, w.loc, i32, LLVM::AtomicBinOp::add,
          LLVM::AtomicOrdering::monotonic, tile::MemoryScope::instance,
          w.elementPointer(w.shared(start), w.narrow(number), i32), w.c32(1));
    });
  }
  w.barrier();
  Type element = ThreadBuilder::scalarType(type.getElementType());
  Regs regs;
  for (int64_t reg = 0; reg < to.getNumRegisters(); ++reg) {
    Value n = w.readElement(start, w.coordinate(to, reg, 0), i32);
    unsigned bits = element.getIntOrFloatBitWidth();
    if (bits > 32)
      n = w.b.createOrFold<arith::ExtUIOp>(w.loc, element, n);
    else if (bits < 32)
      n = w.b.createOrFold<arith::TruncIOp>(w.loc, element, n);
    regs.push_back(n);
  }
  w.define(op.getResult(), std::move(regs));
  return success();
}

static LayoutRule layoutsOfHistogram(tile::HistogramOp op,
                                     const LayoutQuery &query) {
  LayoutRule rule(op);
  assignAll(op->getOperands(), query.settled(op.getSource()), rule.operands);
  return rule;
}

void simt::addScanLowerings(LoweringTable &table) {
  table.add<tile::ScanOp>(lowerScan, scanNeeds);
  table.add<tile::HistogramOp>(lowerHistogram, histogramNeeds);
  table.addLayouts<tile::HistogramOp, layoutsOfHistogram>();
}
