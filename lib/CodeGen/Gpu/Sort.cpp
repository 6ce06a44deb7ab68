//===- Sort.cpp - Sorts of tiles ------------------------------------------===//
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

/// A bitonic network (Batcher, "Sorting networks and their applications",
/// 1968): pairs meet in a thread, in a warp, or in the memory of the block.
class SortNetwork {
public:
  /// Without `tracks`, elements of equal keys are in any order; with it, by
  /// their coordinates, which come along.
  SortNetwork(ThreadWriter &w, Value tile, int64_t axis, bool descending,
              bool tracks);

  /// Sorts; `start` is the scratch memory, which is asked for where it is null
  /// and needed.
  void sort(std::optional<int64_t> &start);
  /// Writes keys, and the coordinates that come along.
  void writeToScratch(int64_t start);

  LayoutAttr layout;
  ArrayRef<int64_t> shape;
  SortKeys keys;
  Regs regs;   ///< a key for each register
  Regs origin; ///< where it was; empty unless coordinates come along
  bool isScratchUsed = false;

private:
  /// Whether a bit of the coordinate is set, for a register.
  Value isSet(int64_t bit, int64_t reg);
  void exchange(int64_t block, int64_t distance, std::optional<int64_t> start);

  ThreadWriter &w;
  int64_t axis, size;
  SmallVector<Value> here;
  std::optional<SmallVector<AxisBit>> bits;
};

/// The keys, and behind them coordinates.
int64_t keyBytes(ArrayRef<int64_t> shape, Type element) {
  return llvm::alignTo(ThreadBuilder::tileBytes(shape, element), 16);
}
int64_t sortBytes(ArrayRef<int64_t> shape, Type element, bool tracks) {
  if (!tracks)
    return ThreadBuilder::tileBytes(shape, element);
  Type i32 = IntegerType::get(element.getContext(), 32);
  return keyBytes(shape, element) + ThreadBuilder::tileBytes(shape, i32);
}
} // namespace

SortNetwork::SortNetwork(ThreadWriter &w, Value tile, int64_t axis,
                         bool descending, bool tracks)
    : layout(getLayout(tile)),
      shape(cast<RankedTensorType>(tile.getType()).getShape()),
      keys(w,
           ThreadBuilder::scalarType(
               cast<RankedTensorType>(tile.getType()).getElementType()),
           descending),
      regs(w.registers(tile)), w(w), axis(axis),
      size(llvm::PowerOf2Ceil(shape[axis])) {
  for (auto [reg, value] : llvm::enumerate(regs)) {
    value = keys.of(value);
    here.push_back(w.coordinate(layout, reg, axis));
    if (size != shape[axis])
      value = w.select(w.compare(Pred::ult, here[reg], w.c32(shape[axis])),
                       value, keys.last());
    if (tracks)
      origin.push_back(here[reg]);
  }
  bits = getAxisBits(w, layout, axis, size);
}

Value SortNetwork::isSet(int64_t bit, int64_t reg) {
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
}

void SortNetwork::writeToScratch(int64_t start) {
  if (isScratchUsed)
    w.barrier();
  isScratchUsed = true;
  w.writeTile(start, regs, layout, shape);
  if (!origin.empty())
    w.writeTile(start + keyBytes(shape, keys.type()), origin, layout, shape);
  w.barrier();
}

void SortNetwork::exchange(int64_t block, int64_t distance,
                           std::optional<int64_t> start) {
  AxisBit place =
      bits ? (*bits)[llvm::Log2_64(distance)] : AxisBit{AxisBit::Warp, 0};
  if (place.level == AxisBit::Warp)
    writeToScratch(*start);
  Regs keysBefore = regs, originBefore = origin;
  auto partner = [&](const Regs &from, int64_t reg, int64_t at) -> Value {
    if (place.level == AxisBit::Register)
      return from[reg ^ int64_t(1) << place.bit];
    if (place.level == AxisBit::Lane)
      return w.shuffleXor(from[reg], int64_t(1) << place.bit);
    SmallVector<Value> index;
    for (size_t d = 0; d < shape.size(); ++d)
      index.push_back(w.coordinate(layout, reg, d));
    index[axis] = w.xor_(here[reg], w.c32(distance));
    return w.readElement(at, w.position(index, shape), from[reg].getType());
  };
  for (int64_t reg = 0, count = regs.size(); reg < count; ++reg) {
    Value key = keysBefore[reg],
          other = partner(keysBefore, reg, start.value_or(0));
    Value smaller = w.compare(Pred::slt, other, key), larger, cameFrom;
    if (!origin.empty()) {
      larger = w.compare(Pred::sgt, other, key);
      cameFrom = partner(originBefore, reg,
                         start.value_or(0) + keyBytes(shape, keys.type()));
      Value earlier = w.compare(Pred::ult, cameFrom, originBefore[reg]);
      Value isTied = w.compare(Pred::eq, other, key);
      smaller = w.select(isTied, earlier, smaller);
      larger = w.select(
          isTied, w.compare(Pred::ugt, cameFrom, originBefore[reg]), larger);
    }
    // The lower one of a pair keeps the smaller, in blocks that ascend; the
    // last block does.
    Value wantsLarger = isSet(distance, reg);
    if (block < size)
      wantsLarger = w.xor_(wantsLarger, isSet(block, reg));
    // Of equal keys that have nothing else, either one is right.
    Value takes = larger ? w.select(wantsLarger, larger, smaller)
                         : w.xor_(wantsLarger, smaller);
    regs[reg] = w.select(takes, other, key);
    if (cameFrom)
      origin[reg] = w.select(takes, cameFrom, originBefore[reg]);
  }
}

void SortNetwork::sort(std::optional<int64_t> &start) {
  if (!start &&
      (!bits || llvm::any_of(*bits,
                             [](const AxisBit &bit) {
                               return bit.level == AxisBit::Warp;
                             })) &&
      size > 1)
    start = w.scratch(sortBytes(shape, keys.type(), !origin.empty()));
  for (int64_t block = 2; block <= size; block *= 2)
    for (int64_t distance = block / 2; distance; distance /= 2)
      exchange(block, distance, start);
}

static LogicalResult lowerSort(tile::SortOp op, ThreadWriter &w) {
  if (getLayout(op.getSource()) != getLayout(op.getResult()))
    return op.emitOpError("expected an operand and a result of one layout, as "
                          "'simt-assign-layouts' gives them");
  SortNetwork network(w, op.getSource(), op.getAxis(), op.getDescending(),
                      /*tracks=*/false);
  std::optional<int64_t> start;
  network.sort(start);
  Regs regs;
  for (Value key : network.regs)
    regs.push_back(network.keys.number(key));
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
  return {{sortBytes(type.getShape(), element, /*tracks=*/false)}};
}

/// The first elements of a sorted tile go to where the results have theirs.
static LogicalResult lowerTopK(tile::TopKOp op, ThreadWriter &w) {
  SortNetwork network(w, op.getSource(), op.getAxis(), !op.getSmallest(),
                      /*tracks=*/true);
  Type key = network.keys.type();
  std::optional<int64_t> start =
      w.scratch(sortBytes(network.shape, key, /*tracks=*/true));
  network.sort(start);
  network.writeToScratch(*start);
  auto read = [&](Value result, int64_t from, Type stored,
                  llvm::function_ref<Value(Value)> convert) {
    LayoutAttr layout = getLayout(result);
    Regs regs;
    for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
      SmallVector<Value> at;
      for (int64_t d = 0; d < layout.getRank(); ++d)
        at.push_back(w.coordinate(layout, reg, d));
      regs.push_back(
          convert(w.readElement(from, w.position(at, network.shape), stored)));
    }
    w.define(result, std::move(regs));
  };
  read(op.getValues(), *start, key,
       [&](Value value) { return network.keys.number(value); });
  Type index = ThreadBuilder::scalarType(
      cast<RankedTensorType>(op.getIndices().getType()).getElementType());
  unsigned bits = index.getIntOrFloatBitWidth();
  read(op.getIndices(), *start + keyBytes(network.shape, key), w.b.getI32Type(),
       [&](Value value) -> Value {
         if (bits > 32)
           return w.b.createOrFold<arith::ExtUIOp>(w.loc, index, value);
         if (bits < 32)
           return w.b.createOrFold<arith::TruncIOp>(w.loc, index, value);
         return value;
       });
  return success();
}

static ScratchNeeds topKNeeds(tile::TopKOp op, const BlockShape &) {
  auto type = cast<RankedTensorType>(op.getSource().getType());
  return {{sortBytes(type.getShape(),
                     ThreadBuilder::scalarType(type.getElementType()),
                     /*tracks=*/true)}};
}

void simt::addSortLowerings(LoweringTable &table) {
  table.add<tile::SortOp>(lowerSort, sortNeeds);
  table.add<tile::TopKOp>(lowerTopK, topKNeeds);
}
