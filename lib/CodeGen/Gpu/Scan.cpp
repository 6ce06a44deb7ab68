//===- Scan.cpp - Scans, sorts and histograms -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Pred = arith::CmpIPredicate;

/// Prefixes double in length with each step: every element takes in what ends
/// right before it (Hillis and Steele, "Data parallel algorithms", 1986).
LogicalResult KernelWalk::emitScan(tile::ScanOp op) {
  auto type = cast<RankedTensorType>(op.getSources()[0].getType());
  LayoutAttr layout = getLayout(op.getSources()[0]);
  for (Value value : op->getOperands())
    if (getLayout(value) != layout)
      return op.emitOpError("has tiles of several layouts");
  for (Value value : op.getResults())
    if (getLayout(value) != layout)
      return op.emitOpError("has a result of another layout");
  FailureOr<bool> byLevels = scanByLevels(*this, op);
  if (failed(byLevels) || *byLevels)
    return byLevels;
  int64_t axis = op.getAxis(), size = type.getDimSize(axis);
  SmallVector<Regs> state;
  SmallVector<int64_t> places;
  for (Value value : op.getSources())
    state.push_back(registers(value));
  int64_t start = scratch(placeTiles(op.getSources(), places));
  int64_t count = layout.getNumRegisters();
  for (int64_t step = 1; step < size; step *= 2) {
    if (step > 1)
      barrier();
    for (auto [regs, place] : llvm::zip_equal(state, places))
      writeTile(start + place, regs, layout, type.getShape());
    barrier();
    SmallVector<Regs> next = state;
    for (int64_t reg = 0; reg < count; ++reg) {
      SmallVector<Value> at;
      for (int64_t d = 0; d < type.getRank(); ++d)
        at.push_back(coordinate(layout, reg, d));
      Value here = at[axis], other, isThere;
      if (op.getReverse()) {
        other = add(here, c32(step));
        isThere = compare(Pred::slt, other, c32(size));
      } else {
        other = sub(here, c32(step));
        isThere = compare(Pred::sge, other, c32(0));
      }
      at[axis] = and_(other, c32(int64_t(llvm::PowerOf2Ceil(size)) - 1));
      Value place = position(at, type.getShape());
      SmallVector<Value> arguments;
      for (auto [regs, from] : llvm::zip_equal(state, places))
        arguments.push_back(
            readElement(start + from, place, regs[reg].getType()));
      for (const Regs &regs : state)
        arguments.push_back(regs[reg]);
      auto made = inlineRegion(op.getCombiner(), arguments);
      if (failed(made))
        return failure();
      for (auto [list, value] : llvm::zip_equal(next, *made))
        list[reg] = select(isThere, value, list[reg]);
    }
    state = std::move(next);
  }
  for (auto [result, regs] : llvm::zip_equal(op.getResults(), state))
    define(result, std::move(regs));
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
LogicalResult KernelWalk::emitSort(tile::SortOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  LayoutAttr layout = getLayout(op.getResult());
  if (getLayout(op.getSource()) != layout)
    return op.emitOpError("has tiles of several layouts");
  int64_t axis = op.getAxis();
  int64_t size = llvm::PowerOf2Ceil(type.getDimSize(axis));
  SortKeys keys(*this, scalarType(type.getElementType()), op.getDescending());
  Regs regs = registers(op.getSource());
  int64_t count = layout.getNumRegisters();
  SmallVector<Value> here;
  for (int64_t reg = 0; reg < count; ++reg) {
    regs[reg] = keys.of(regs[reg]);
    here.push_back(coordinate(layout, reg, axis));
    if (size != type.getDimSize(axis))
      regs[reg] =
          select(compare(Pred::ult, here[reg], c32(type.getDimSize(axis))),
                 regs[reg], keys.last());
  }
  auto bits = getAxisBits(*this, layout, axis, size);
  // Whether a bit of the coordinate is set, for a register.
  auto isSet = [&](int64_t bit, int64_t reg) {
    Value number = here[reg], mask = c32(bit);
    if (bits && bit < size) {
      AxisBit place = (*bits)[llvm::Log2_64(bit)];
      if (place.level == AxisBit::Register)
        return constant(b.getI1Type(), reg >> place.bit & 1);
      number = threadId();
      mask =
          c32(int64_t(1) << (place.bit +
                             (place.level == AxisBit::Warp ? laneBits() : 0)));
    }
    return compare(Pred::ne, and_(number, mask), c32(0));
  };
  std::optional<int64_t> start;
  for (int64_t block = 2; block <= size; block *= 2) {
    for (int64_t distance = block / 2; distance; distance /= 2) {
      AxisBit place =
          bits ? (*bits)[llvm::Log2_64(distance)] : AxisBit{AxisBit::Warp, 0};
      if (place.level == AxisBit::Warp) {
        if (start)
          barrier();
        else
          start = scratch(tileBytes(type.getShape(), keys.type()));
        writeTile(*start, regs, layout, type.getShape());
        barrier();
      }
      Regs before = regs;
      for (int64_t reg = 0; reg < count; ++reg) {
        Value other;
        if (place.level == AxisBit::Register) {
          other = before[reg ^ int64_t(1) << place.bit];
        } else if (place.level == AxisBit::Lane) {
          other = shuffleXor(regs[reg], int64_t(1) << place.bit);
        } else {
          SmallVector<Value> at;
          for (int64_t d = 0; d < type.getRank(); ++d)
            at.push_back(coordinate(layout, reg, d));
          at[axis] = xor_(here[reg], c32(distance));
          other =
              readElement(*start, position(at, type.getShape()), keys.type());
        }
        // The lower one of a pair keeps the smaller, in blocks that ascend; the
        // last block does.
        Value wantsLarger = isSet(distance, reg);
        if (block < size)
          wantsLarger = xor_(wantsLarger, isSet(block, reg));
        Value smaller = compare(Pred::slt, other, before[reg]);
        Value larger = compare(Pred::sgt, other, before[reg]);
        Value takes = select(wantsLarger, larger, smaller);
        regs[reg] = select(takes, other, before[reg]);
      }
    }
  }
  for (Value &value : regs)
    value = keys.number(value);
  define(op.getResult(), std::move(regs));
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

ScratchNeeds simt::histogramNeeds(tile::HistogramOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  return {{ThreadBuilder::tileBytes(type.getShape(),
                                    IntegerType::get(op.getContext(), 32))}};
}

LogicalResult KernelWalk::emitHistogram(tile::HistogramOp op) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto type = cast<RankedTensorType>(op.getType());
  LayoutAttr from = getLayout(op.getSource()), to = getLayout(op.getResult());
  if (op.getMask() && getLayout(op.getMask()) != from)
    return op.emitOpError("has tiles of several layouts");
  Type i32 = b.getI32Type();
  int64_t bins = type.getDimSize(0);
  int64_t start = scratch(tileBytes(type.getShape(), i32));
  writeTile(start, Regs(to.getNumRegisters(), c32(0)), to, type.getShape());
  barrier();
  Value first = isFirstCopy(from);
  for (auto [reg, value] : llvm::enumerate(registers(op.getSource()))) {
    Value number = value;
    unsigned bits = number.getType().getIntOrFloatBitWidth();
    if (bits < 64)
      number = b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), number);
    Value mask = both(first, isElement(from, reg, source.getShape()));
    if (op.getMask())
      mask = both(mask, registers(op.getMask())[reg]);
    mask = both(mask, compare(Pred::ult, number, c64(bins)));
    guarded(mask, [&] {
      AtomicRMWOp::create(
          b, loc, i32, LLVM::AtomicBinOp::add, LLVM::AtomicOrdering::monotonic,
          tile::MemoryScope::instance,
          elementPointer(shared(start), narrow(number), i32), c32(1));
    });
  }
  barrier();
  Type element = scalarType(type.getElementType());
  Regs regs;
  for (int64_t reg = 0; reg < to.getNumRegisters(); ++reg) {
    Value n = readElement(start, coordinate(to, reg, 0), i32);
    unsigned bits = element.getIntOrFloatBitWidth();
    if (bits > 32)
      n = b.createOrFold<arith::ExtUIOp>(loc, element, n);
    else if (bits < 32)
      n = b.createOrFold<arith::TruncIOp>(loc, element, n);
    regs.push_back(n);
  }
  define(op.getResult(), std::move(regs));
  return success();
}
