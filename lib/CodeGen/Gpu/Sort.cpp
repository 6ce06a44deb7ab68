//===- Sort.cpp - Sorts of tiles
//-------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "Scan.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Pred = arith::CmpIPredicate;

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
static LogicalResult lowerSort(tile::SortOp op, KernelWalk &w) {
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

static ScratchNeeds sortNeeds(tile::SortOp op, const BlockShape &block) {
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

void simt::addSortLowerings(LoweringTable &table) {
  table.add<tile::SortOp>(lowerSort, sortNeeds);
}
