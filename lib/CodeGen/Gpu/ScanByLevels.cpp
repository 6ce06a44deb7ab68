//===- ScanByLevels.cpp - Scans: registers, lanes, warps ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of elements double in size, from the lowest bit of the axis. Everybody
// knows the total of the block that an element is in and what comes before the
// element's group of registers in it. When two blocks become one, the later one
// gets the total of the earlier one before it; only totals travel. At the end
// each element takes in what comes before its group. Lanes of one block know
// the same total: memory holds it once.
//
//===----------------------------------------------------------------------===//

#include "Scan.h"
#include "ThreadNumbers.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Pred = arith::CmpIPredicate;

std::optional<SmallVector<AxisBit>>
simt::getAxisBits(LayoutAttr layout, int64_t axis, int64_t size,
                  unsigned laneBits, unsigned warpBits) {
  SmallVector<std::optional<AxisBit>> found(llvm::Log2_64_Ceil(size));
  std::pair<AxisBit::Level, SmallVector<LayoutAttr::Basis>> levels[] = {
      {AxisBit::Register, layout.getRegisterBases()},
      {AxisBit::Lane, layout.getLaneBases(laneBits)},
      {AxisBit::Warp, layout.getWarpBases(warpBits)}};
  for (const auto &[level, bases] : levels)
    for (auto [bit, basis] : llvm::enumerate(bases)) {
      int64_t along = basis[axis];
      if (!along)
        continue;
      for (auto [d, other] : llvm::enumerate(basis))
        if (int64_t(d) != axis && other)
          return std::nullopt;
      if (!llvm::isPowerOf2_64(along) || found[llvm::Log2_64(along)])
        return std::nullopt;
      found[llvm::Log2_64(along)] = AxisBit{level, unsigned(bit)};
    }
  SmallVector<AxisBit> bits;
  for (const std::optional<AxisBit> &bit : found) {
    if (!bit)
      return std::nullopt;
    bits.push_back(*bit);
  }
  return bits;
}

namespace {
/// A value of each source.
using Tuple = SmallVector<Value>;

/// Registers whose elements follow each other.
struct Group {
  Tuple total;     ///< of the block that the group is in
  Tuple before;    ///< what comes before the group in its block
  Value hasBefore; ///< whether anything does; null for yes
};

class Scan {
public:
  Scan(ThreadWriter &w, tile::ScanOp op, ArrayRef<AxisBit> bits)
      : w(w), op(op), bits(bits), isReverse(op.getReverse()) {
    for (Value value : op.getSources())
      values.push_back(w.registers(value));
    count = values[0].size();
  }

  LogicalResult run();

private:
  FailureOr<Tuple> combine(const Tuple &earlier, const Tuple &later) {
    Tuple arguments(earlier);
    arguments.append(later);
    return w.inlineRegion(op.getCombiner(), arguments);
  }
  Tuple select(Value condition, const Tuple &x, const Tuple &y) {
    return llvm::map_to_vector(llvm::zip_equal(x, y), [&](auto pair) {
      return w.select(condition, std::get<0>(pair), std::get<1>(pair));
    });
  }
  /// Whether a bit of the thread's number puts it into the later block.
  Value isLater(unsigned bit) {
    Value own = w.and_(w.threadId(), w.c32(int64_t(1) << bit));
    return w.compare(isReverse ? Pred::eq : Pred::ne, own, w.c32(0));
  }

  LogicalResult inGroups();
  LogicalResult precede(Group &group, const Tuple &earlier, Value when);
  LogicalResult overRegisters(unsigned bit);
  LogicalResult overLanes(unsigned bit);
  LogicalResult overWarps(ArrayRef<AxisBit> run, ArrayRef<AxisBit> done);
  LogicalResult finish();

  ThreadWriter &w;
  tile::ScanOp op;
  ArrayRef<AxisBit> bits;
  bool isReverse;
  SmallVector<Regs> values; ///< by source and register
  size_t count;             ///< registers
  SmallVector<unsigned>
      within;             ///< bits of registers of one group, lowest first
  unsigned groupMask = 0; ///< of these bits
  llvm::MapVector<unsigned, Group> groups; ///< by their first register
};
} // namespace

/// The bits at the front of registers whose elements follow each other.
static size_t countWithin(ArrayRef<AxisBit> bits) {
  return bits
      .take_while(
          [](const AxisBit &bit) { return bit.level == AxisBit::Register; })
      .size();
}

/// The next bits, if they are of warps: they are exchanged together.
static ArrayRef<AxisBit> runOfWarps(ArrayRef<AxisBit> left) {
  return left.take_while(
      [](const AxisBit &bit) { return bit.level == AxisBit::Warp; });
}

/// Registers of the lowest bits are scanned one after the other.
LogicalResult Scan::inGroups() {
  for (const AxisBit &bit : bits.take_front(countWithin(bits))) {
    within.push_back(bit.bit);
    groupMask |= 1u << bit.bit;
  }
  unsigned size = 1u << within.size();
  for (unsigned first = 0; first < count; ++first) {
    if (first & groupMask)
      continue;
    Tuple sum;
    for (unsigned i = 0; i < size; ++i) {
      unsigned number = isReverse ? size - 1 - i : i, reg = first;
      for (auto [from, to] : llvm::enumerate(within))
        reg |= (number >> from & 1) << to;
      Tuple own;
      for (const Regs &regs : values)
        own.push_back(regs[reg]);
      if (!sum.empty()) {
        auto made = combine(sum, own);
        if (failed(made))
          return failure();
        own = *made;
      }
      sum = own;
      for (auto [regs, value] : llvm::zip_equal(values, sum))
        regs[reg] = value;
    }
    groups[first].total = sum;
  }
  return success();
}

/// What comes right before all that a group knows of, where `when` holds.
LogicalResult Scan::precede(Group &group, const Tuple &earlier, Value when) {
  Tuple before = earlier;
  if (!group.before.empty()) {
    auto made = combine(earlier, group.before);
    if (failed(made))
      return failure();
    before = group.hasBefore ? select(group.hasBefore, *made, earlier) : *made;
    if (when)
      before = select(when, before, group.before);
    if (group.hasBefore)
      group.hasBefore = when ? w.or_(group.hasBefore, when) : Value();
  } else {
    group.hasBefore = when;
  }
  group.before = before;
  return success();
}

LogicalResult Scan::overRegisters(unsigned bit) {
  for (auto &[first, low] : groups) {
    if (first >> bit & 1)
      continue;
    Group &high = groups[first | 1u << bit];
    Group &earlier = isReverse ? high : low, &later = isReverse ? low : high;
    auto total = combine(earlier.total, later.total);
    if (failed(total) || failed(precede(later, earlier.total, Value())))
      return failure();
    low.total = high.total = *total;
  }
  return success();
}

LogicalResult Scan::overLanes(unsigned bit) {
  Value later = isLater(bit);
  for (auto &[first, group] : groups) {
    Tuple other;
    for (Value value : group.total)
      other.push_back(w.shuffleXor(value, int64_t(1) << bit));
    auto total = combine(select(later, other, group.total),
                         select(later, group.total, other));
    if (failed(total) || failed(precede(group, other, later)))
      return failure();
    group.total = *total;
  }
  return success();
}

/// Where the totals of each source begin in shared memory: `count` elements of
/// each; and the bytes of all.
static int64_t placeTotals(tile::ScanOp op, int64_t count,
                           SmallVectorImpl<int64_t> &starts) {
  int64_t bytes = 0;
  for (Value value : op.getSources()) {
    starts.push_back(bytes);
    Type element =
        ThreadBuilder::scalarType(getElementTypeOrSelf(value.getType()));
    bytes =
        llvm::alignTo(bytes + count * ThreadBuilder::storedBytes(element), 16);
  }
  return bytes;
}

/// Whether a bit of a thread is one of some bits of an axis.
static bool isAmong(ArrayRef<AxisBit> bits, unsigned bit, unsigned laneBits) {
  return llvm::any_of(bits, [&](const AxisBit &known) {
    return known.level != AxisBit::Register &&
           known.bit + (known.level == AxisBit::Warp ? laneBits : 0) == bit;
  });
}

/// Threads whose totals differ, but for those of the bits in `run`; the bits in
/// `done` are in the totals.
static ThreadNumbers numbersOf(LayoutAttr layout, ArrayRef<AxisBit> run,
                               ArrayRef<AxisBit> done, unsigned laneBits,
                               unsigned warpBits) {
  return {laneBits + warpBits, [&](unsigned bit) {
            return isAmong(run, bit, laneBits) ||
                   isAmong(done, bit, laneBits) ||
                   isCopyBit(layout, bit, laneBits, warpBits);
          }};
}

/// One way through memory for bits that follow each other: every thread reads
/// the totals of all its warps.
LogicalResult Scan::overWarps(ArrayRef<AxisBit> run, ArrayRef<AxisBit> done) {
  ThreadNumbers numbers = numbersOf(getLayout(op.getSources()[0]), run, done,
                                    w.laneBits(), w.warpBits());
  int64_t threads = numbers.count(), size = int64_t(1) << run.size();
  int64_t elements = threads * int64_t(groups.size());
  SmallVector<int64_t> starts;
  int64_t begin = w.scratch(placeTotals(op, elements * size, starts));
  Value own = numbers.ofThread(w), index = w.c32(0);
  for (auto [to, bit] : llvm::enumerate(run)) {
    Value one = w.and_(w.b.createOrFold<arith::ShRUIOp>(
                           w.loc, w.threadId(), w.c32(w.laneBits() + bit.bit)),
                       w.c32(1));
    index = w.add(index, w.mul(one, w.c32(elements << to)));
  }
  auto place = [&](size_t group) { return w.add(own, w.c32(group * threads)); };
  // Of threads with one number, the first of each warp of the run writes.
  Value isWriter = numbers.isFirst(
      w, [&](unsigned bit) { return isAmong(run, bit, w.laneBits()); });
  w.guarded(isWriter, [&] {
    for (auto [i, entry] : llvm::enumerate(groups))
      for (auto [start, value] : llvm::zip_equal(starts, entry.second.total)) {
        Value stored = w.toStored(value);
        LLVM::StoreOp::create(w.b, w.loc, stored,
                              w.elementPointer(w.shared(begin + start),
                                               w.add(place(i), index),
                                               stored.getType()));
      }
  });
  w.barrier();
  // How many of them come before this one.
  Value rank = w.c32(0);
  for (auto [to, bit] : llvm::enumerate(run))
    rank = w.or_(rank, w.select(isLater(w.laneBits() + bit.bit),
                                w.c32(int64_t(1) << to), w.c32(0)));
  for (auto [i, entry] : llvm::enumerate(groups)) {
    Tuple sum, before;
    for (int64_t j = 0; j < size; ++j) {
      Tuple total;
      Value from =
          w.add(place(i), w.c32((isReverse ? size - 1 - j : j) * elements));
      for (auto [start, value] : llvm::zip_equal(starts, entry.second.total))
        total.push_back(w.readElement(begin + start, from, value.getType()));
      if (j == 0) {
        before = sum = total;
        continue;
      }
      if (j > 1)
        before = select(w.compare(Pred::uge, rank, w.c32(j)), sum, before);
      auto made = combine(sum, total);
      if (failed(made))
        return failure();
      sum = *made;
    }
    Value isFirst = w.compare(Pred::ne, rank, w.c32(0));
    if (failed(precede(entry.second, before, isFirst)))
      return failure();
    entry.second.total = sum;
  }
  return success();
}

LogicalResult Scan::finish() {
  for (unsigned reg = 0; reg < count; ++reg) {
    Group &group = groups[reg & ~groupMask];
    if (group.before.empty())
      continue;
    Tuple own;
    for (const Regs &regs : values)
      own.push_back(regs[reg]);
    auto made = combine(group.before, own);
    if (failed(made))
      return failure();
    Tuple result =
        group.hasBefore ? select(group.hasBefore, *made, own) : *made;
    for (auto [regs, value] : llvm::zip_equal(values, result))
      regs[reg] = value;
  }
  for (auto [result, regs] : llvm::zip_equal(op.getResults(), values))
    w.define(result, std::move(regs));
  return success();
}

LogicalResult Scan::run() {
  if (failed(inGroups()))
    return failure();
  for (ArrayRef<AxisBit> left = bits.drop_front(within.size());
       !left.empty();) {
    AxisBit bit = left.front();
    ArrayRef<AxisBit> run = runOfWarps(left);
    ArrayRef<AxisBit> done = bits.drop_back(left.size());
    left = left.drop_front(std::max<size_t>(1, run.size()));
    LogicalResult made = !run.empty()                 ? overWarps(run, done)
                         : bit.level == AxisBit::Lane ? overLanes(bit.bit)
                                                      : overRegisters(bit.bit);
    if (failed(made))
      return failure();
  }
  return finish();
}

ScratchNeeds simt::needsByLevels(tile::ScanOp op, ArrayRef<AxisBit> bits,
                                 const BlockShape &block) {
  size_t within = countWithin(bits);
  LayoutAttr layout = getLayout(op.getSources()[0]);
  int64_t groups = layout.getNumRegisters() >> within;
  ScratchNeeds needs;
  for (ArrayRef<AxisBit> left = bits.drop_front(within); !left.empty();) {
    ArrayRef<AxisBit> run = runOfWarps(left);
    ArrayRef<AxisBit> done = bits.drop_back(left.size());
    left = left.drop_front(std::max<size_t>(1, run.size()));
    if (run.empty())
      continue;
    SmallVector<int64_t> starts;
    int64_t threads =
        numbersOf(layout, run, done, block.laneBits(), block.warpBits())
            .count();
    needs.push_back(
        {placeTotals(op, (groups * threads) << run.size(), starts)});
  }
  return needs;
}

std::optional<SmallVector<AxisBit>>
simt::bitsOfScan(tile::ScanOp op, unsigned laneBits, unsigned warpBits) {
  auto type = cast<RankedTensorType>(op.getSources()[0].getType());
  int64_t size = type.getDimSize(op.getAxis());
  // What lies beyond the tile would come before all elements.
  if (op.getReverse() && !llvm::isPowerOf2_64(size))
    return std::nullopt;
  return getAxisBits(getLayout(op.getSources()[0]), op.getAxis(), size,
                     laneBits, warpBits);
}

FailureOr<bool> simt::scanByLevels(ThreadWriter &w, tile::ScanOp op) {
  auto bits = bitsOfScan(op, w.laneBits(), w.warpBits());
  if (!bits)
    return false;
  if (failed(Scan(w, op, *bits).run()))
    return failure();
  return true;
}
