//===- Scan.cpp - Scans, sorts and histograms -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scan.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Pred = arith::CmpIPredicate;

/// Prefixes double in length with each step: every element takes in what ends
/// right before it (Hillis and Steele, "Data parallel algorithms", 1986).
LogicalResult simt::lowerScan(tile::ScanOp op, KernelWalk &w) {
  auto type = cast<RankedTensorType>(op.getSources()[0].getType());
  LayoutAttr layout = getLayout(op.getSources()[0]);
  for (Value value : op->getOperands())
    if (getLayout(value) != layout)
      return op.emitOpError("has tiles of several layouts");
  for (Value value : op.getResults())
    if (getLayout(value) != layout)
      return op.emitOpError("has a result of another layout");
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

ScratchNeeds simt::scanNeeds(tile::ScanOp op, const BlockShape &block) {
  if (auto bits = bitsOfScan(op, block.laneBits(), block.warpBits()))
    return needsByLevels(op, *bits, block);
  SmallVector<int64_t> places;
  return {{ThreadBuilder::placeTiles(op.getSources(), places)}};
}

namespace {
/// Numbers as integers that are in order where the numbers are: floats as IEEE
/// 754 orders them, -0 before +0, NaN last. Descending orders are turned round.
class SortKeys {
public:
  SortKeys(ThreadBuilder &w, Type element, bool descending)
      : w(w), element(element), isFloat(isa<FloatType>(element)),
        descending(descending),
        integer(w.b.getIntegerType(element.getIntOrFloatBitWidth())) {}

  Type type() const { return integer; }
  Value last() { return constant(APInt::getSignedMaxValue(width())); }

  Value of(Value x) {
    if (!isFloat) {
      if (width() == 1) // signed: -1 is before 0
        return descending ? w.xor_(x, constant(APInt(1, 1))) : x;
      return descending ? flip(x) : x;
    }
    Value bits = w.b.createOrFold<arith::BitcastOp>(w.loc, integer, x);
    Value size = w.and_(bits, last());
    Value isNan = w.compare(Pred::ugt, size, infinity());
    Value key = turn(bits);
    return w.select(isNan, last(), descending ? flip(key) : key);
  }

  Value number(Value key) {
    if (!isFloat)
      return of(key);
    Value bits = turn(descending ? flip(key) : key);
    auto type = cast<FloatType>(element);
    Value nan =
        constant(APFloat::getQNaN(type.getFloatSemantics()).bitcastToAPInt());
    bits = w.select(w.compare(Pred::eq, key, last()), nan, bits);
    return w.b.createOrFold<arith::BitcastOp>(w.loc, element, bits);
  }

private:
  unsigned width() const { return integer.getIntOrFloatBitWidth(); }
  Value constant(const APInt &value) {
    return arith::ConstantOp::create(w.b, w.loc,
                                     w.b.getIntegerAttr(integer, value));
  }
  Value infinity() {
    return constant(
        APFloat::getInf(cast<FloatType>(element).getFloatSemantics())
            .bitcastToAPInt());
  }
  Value flip(Value x) {
    return w.xor_(x, constant(APInt::getAllOnes(width())));
  }
  /// All bits but the sign, where that is set; its own inverse.
  Value turn(Value bits) {
    Value signs = w.b.createOrFold<arith::ShRSIOp>(
        w.loc, bits, constant(APInt(width(), width() - 1)));
    return w.xor_(bits, w.and_(signs, last()));
  }

  ThreadBuilder &w;
  Type element;
  bool isFloat, descending;
  Type integer;
};
} // namespace

/// A bitonic network (Batcher, "Sorting networks and their applications",
/// 1968): pairs meet in a thread, in a warp, or in the memory of the block.
LogicalResult simt::lowerSort(tile::SortOp op, KernelWalk &w) {
  auto type = cast<RankedTensorType>(op.getType());
  LayoutAttr layout = getLayout(op.getResult());
  if (getLayout(op.getSource()) != layout)
    return op.emitOpError("has tiles of several layouts");
  int64_t axis = op.getAxis();
  int64_t size = llvm::PowerOf2Ceil(type.getDimSize(axis));
  SortKeys keys(w, ThreadBuilder::scalarType(type.getElementType()),
                op.getDescending());
  Regs regs = w.registers(op.getSource());
  int64_t count = layout.getNumRegisters();
  SmallVector<Value> here;
  for (int64_t reg = 0; reg < count; ++reg) {
    regs[reg] = keys.of(regs[reg]);
    here.push_back(w.coordinate(layout, reg, axis));
    if (size != type.getDimSize(axis))
      regs[reg] = w.select(
          w.compare(Pred::ult, here[reg], w.c32(type.getDimSize(axis))),
          regs[reg], keys.last());
  }
  auto bits = getAxisBits(w, layout, axis, size);
  // Whether a bit of the coordinate is set, for a register.
  auto isSet = [&](int64_t bit, int64_t reg) {
    Value number = here[reg], mask = w.c32(bit);
    if (bits && bit < size) {
      AxisBit place = (*bits)[llvm::Log2_64(bit)];
      if (place.level == AxisBit::Register)
        return w.constant(w.b.getI1Type(), reg >> place.bit & 1);
      number = w.threadId();
      mask = w.c32(int64_t(1)
                   << (place.bit +
                       (place.level == AxisBit::Warp ? w.laneBits() : 0)));
    }
    return w.compare(Pred::ne, w.and_(number, mask), w.c32(0));
  };
  std::optional<int64_t> start;
  for (int64_t block = 2; block <= size; block *= 2) {
    for (int64_t distance = block / 2; distance; distance /= 2) {
      AxisBit place =
          bits ? (*bits)[llvm::Log2_64(distance)] : AxisBit{AxisBit::Warp, 0};
      if (place.level == AxisBit::Warp) {
        if (start)
          w.barrier();
        else
          start =
              w.scratch(ThreadBuilder::tileBytes(type.getShape(), keys.type()));
        w.writeTile(*start, regs, layout, type.getShape());
        w.barrier();
      }
      Regs before = regs;
      for (int64_t reg = 0; reg < count; ++reg) {
        Value other;
        if (place.level == AxisBit::Register) {
          other = before[reg ^ int64_t(1) << place.bit];
        } else if (place.level == AxisBit::Lane) {
          other = w.shuffleXor(regs[reg], int64_t(1) << place.bit);
        } else {
          SmallVector<Value> at;
          for (int64_t d = 0; d < type.getRank(); ++d)
            at.push_back(w.coordinate(layout, reg, d));
          at[axis] = w.xor_(here[reg], w.c32(distance));
          other = w.readElement(*start, w.position(at, type.getShape()),
                                keys.type());
        }
        // The lower one of a pair keeps the smaller, in blocks that ascend; the
        // last block does.
        Value wantsLarger = isSet(distance, reg);
        if (block < size)
          wantsLarger = w.xor_(wantsLarger, isSet(block, reg));
        Value smaller = w.compare(Pred::slt, other, before[reg]);
        Value larger = w.compare(Pred::sgt, other, before[reg]);
        Value takes = w.select(wantsLarger, larger, smaller);
        regs[reg] = w.select(takes, other, before[reg]);
      }
    }
  }
  for (Value &value : regs)
    value = keys.number(value);
  w.define(op.getResult(), std::move(regs));
  return success();
}

ScratchNeeds simt::sortNeeds(tile::SortOp op, const BlockShape &block) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t axis = op.getAxis();
  auto bits = getAxisBits(getLayout(op.getResult()), axis,
                          llvm::PowerOf2Ceil(type.getDimSize(axis)),
                          block.laneBits(), block.warpBits());
  if (bits && llvm::none_of(*bits, [](const AxisBit &bit) {
        return bit.level == AxisBit::Warp;
      }))
    return {};
  // Keys are integers of as many bits.
  Type element = ThreadBuilder::scalarType(type.getElementType());
  return {{ThreadBuilder::tileBytes(type.getShape(), element)}};
}

ScratchNeeds simt::histogramNeeds(tile::HistogramOp op, const BlockShape &) {
  auto type = cast<RankedTensorType>(op.getType());
  return {{ThreadBuilder::tileBytes(type.getShape(),
                                    IntegerType::get(op.getContext(), 32))}};
}

LogicalResult simt::lowerHistogram(tile::HistogramOp op, KernelWalk &w) {
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
