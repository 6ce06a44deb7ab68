//===- Reduce.cpp - Reductions: registers, lanes, warps -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "ScratchNeeds.h"
#include "ThreadNumbers.h"
#include "ThreadWriter.h"
#include "Work.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// How warps exchange what each of them has reduced: threads with elements of
/// their own lie side by side, whichever elements these are; copies write the
/// same place.
struct WarpExchange {
  WarpExchange(tile::ReduceOp op, LayoutAttr layout, unsigned laneBits,
               unsigned warpBits);

  SmallVector<unsigned> bits;    ///< of the thread that count along the axis
  SmallVector<unsigned> readers; ///< bits of lanes that have the same elements
  ThreadNumbers threads;         ///< with elements of their own
  int64_t elements;              ///< of all threads in one step along the axis
  SmallVector<Type> types;       ///< one list for each of these
  SmallVector<int64_t> places;   ///< where the lists begin
  int64_t bytes = 0;
};

/// One element of every source; `isThere` is null for yes.
struct Part {
  SmallVector<Value> values;
  Value isThere;
};

class Reduction {
public:
  Reduction(ThreadWriter &w, tile::ReduceOp op)
      : w(w), op(op),
        type(cast<RankedTensorType>(op.getSources()[0].getType())),
        source(getLayout(op.getSources()[0])), axis(op.getAxis()) {}

  LogicalResult run();

private:
  FailureOr<Part> combine(const Part &x, const Part &y);
  FailureOr<Part> combineAll(SmallVector<Part> parts);
  /// The parts of groups of as many elements each. Elements are combined as in
  /// `combineAll`, but each two as soon as both are there, all groups side by
  /// side, so that a thread needs registers for few elements at once.
  FailureOr<SmallVector<Part>> combineEarly(ArrayRef<SmallVector<Part>> groups);
  Part fetch(const Part &part, function_ref<Value(Value)> shuffle);
  bool isSymmetric() const;
  LogicalResult shareOut(SmallVectorImpl<Part> &parts, ArrayRef<unsigned> bits);
  LogicalResult acrossLanes(SmallVectorImpl<Part> &parts);
  ArrayRef<unsigned> readersOf(const WarpExchange &exchange) const;
  LogicalResult combineAcross(SmallVectorImpl<Part> &parts, unsigned bit);
  LogicalResult acrossWarps(SmallVectorImpl<Part> &parts, LayoutAttr layout);
  LogicalResult inOrder();

  ThreadWriter &w;
  tile::ReduceOp op;
  RankedTensorType type;
  LayoutAttr source;
  int64_t axis;
};
} // namespace

FailureOr<Part> Reduction::combine(const Part &x, const Part &y) {
  SmallVector<Value> arguments(x.values);
  arguments.append(y.values);
  auto made = w.inlineRegion(op.getCombiner(), arguments);
  if (failed(made))
    return failure();
  Part result;
  result.values = *made;
  // Of one that is there and one that is not, the first counts.
  if (x.isThere || y.isThere) {
    for (auto [value, ofX, ofY] :
         llvm::zip_equal(result.values, x.values, y.values)) {
      if (y.isThere)
        value = w.select(y.isThere, value, ofX);
      if (x.isThere)
        value = w.select(x.isThere, value, ofY);
    }
    if (x.isThere && y.isThere)
      result.isThere = w.or_(x.isThere, y.isThere);
  }
  return result;
}

FailureOr<Part> Reduction::combineAll(SmallVector<Part> parts) {
  while (parts.size() > 1) {
    SmallVector<Part> half;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      auto both = combine(parts[i], parts[i + 1]);
      if (failed(both))
        return failure();
      half.push_back(*both);
    }
    if (parts.size() % 2)
      half.push_back(parts.back());
    parts = std::move(half);
  }
  return parts[0];
}

FailureOr<SmallVector<Part>>
Reduction::combineEarly(ArrayRef<SmallVector<Part>> groups) {
  // Parts of a group that wait for as many more: of 1, 2, 4 ... elements, the
  // most first.
  struct Waiting {
    Part part;
    size_t count;
  };
  SmallVector<SmallVector<Waiting>> waiting(groups.size());
  auto combineLast = [&](SmallVectorImpl<Waiting> &of) -> LogicalResult {
    Waiting last = of.pop_back_val();
    auto both = combine(of.back().part, last.part);
    if (failed(both))
      return failure();
    of.back() = {std::move(*both), of.back().count + last.count};
    return success();
  };
  for (size_t i = 0; i < groups.front().size(); ++i)
    for (auto [group, of] : llvm::zip_equal(groups, waiting)) {
      of.push_back({group[i], 1});
      while (of.size() > 1 && of.back().count == of.end()[-2].count)
        if (failed(combineLast(of)))
          return failure();
    }
  SmallVector<Part> parts;
  for (auto &of : waiting) {
    while (of.size() > 1)
      if (failed(combineLast(of)))
        return failure();
    parts.push_back(std::move(of.front().part));
  }
  return parts;
}

Part Reduction::fetch(const Part &part, function_ref<Value(Value)> shuffle) {
  Part other;
  for (Value value : part.values)
    other.values.push_back(shuffle(value));
  if (part.isThere)
    other.isThere = shuffle(part.isThere);
  return other;
}

/// Whether the combiner gives the same bits for its operands the other way
/// round. Two lanes that exchange what they have combine it in either order.
bool Reduction::isSymmetric() const {
  tile::ReduceOp reduce = op;
  Block &block = reduce.getCombiner().front();
  unsigned count = reduce.getSources().size();
  return llvm::all_of(
      llvm::enumerate(block.getTerminator()->getOperands()), [&](auto it) {
        Operation *made = it.value().getDefiningOp();
        if (!made || !made->hasTrait<OpTrait::IsCommutative>() ||
            made->getNumOperands() != 2)
          return false;
        Value x = block.getArgument(it.index());
        Value y = block.getArgument(it.index() + count);
        return llvm::is_contained(made->getOperands(), x) &&
               llvm::is_contained(made->getOperands(), y);
      });
}

/// Lanes share out the parts: at each bit a lane keeps one half of them, and
/// combines it with what its neighbour has of these.
LogicalResult Reduction::shareOut(SmallVectorImpl<Part> &parts,
                                  ArrayRef<unsigned> bits) {
  for (unsigned bit : bits) {
    Value mask = w.c32(int64_t(1) << bit);
    Value isUpper = w.compare(arith::CmpIPredicate::ne,
                              w.and_(w.threadId(), mask), w.c32(0));
    auto choose = [&](const Part &lower, const Part &upper) {
      Part part;
      for (auto [x, y] : llvm::zip_equal(lower.values, upper.values))
        part.values.push_back(w.select(isUpper, y, x));
      if (lower.isThere)
        part.isThere = w.select(isUpper, upper.isThere, lower.isThere);
      return part;
    };
    size_t half = parts.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      Part given = choose(parts[half + i], parts[i]);
      auto both = combine(choose(parts[i], parts[half + i]),
                          fetch(given, [&](Value value) {
                            return w.shuffleXor(value, int64_t(1) << bit);
                          }));
      if (failed(both))
        return failure();
      parts[i] = *both;
    }
    parts.truncate(half);
  }
  return success();
}

/// Two lanes that differ in `bit` both combine what they have.
LogicalResult Reduction::combineAcross(SmallVectorImpl<Part> &parts,
                                       unsigned bit) {
  for (Part &part : parts) {
    auto both = combine(part, fetch(part, [&](Value value) {
                          return w.shuffleXor(value, int64_t(1) << bit);
                        }));
    if (failed(both))
      return failure();
    part = *both;
  }
  return success();
}

LogicalResult Reduction::acrossLanes(SmallVectorImpl<Part> &parts) {
  SmallVector<unsigned> bits;
  for (auto [bit, basis] : llvm::enumerate(source.getLaneBases(w.laneBits())))
    if (basis[axis])
      bits.push_back(bit);
  // Many parts are shared out as far as this takes fewer exchanges, with two
  // choices for each, than doing the same for all of them in all lanes.
  size_t count = parts.size(), shared = 0;
  if (llvm::isPowerOf2_64(count))
    shared = std::min<size_t>(llvm::Log2_64(count), bits.size());
  size_t left = count >> shared;
  if (2 * (count - left) + left * (bits.size() - shared) + count >
      count * bits.size())
    shared = 0;
  ArrayRef<unsigned> first = ArrayRef(bits).take_front(shared);
  if (failed(shareOut(parts, first)))
    return failure();
  for (unsigned bit : ArrayRef(bits).drop_front(shared))
    if (failed(combineAcross(parts, bit)))
      return failure();
  bool isSame = isSymmetric() || shared == bits.size();
  if (bits.empty() || (!shared && isSame))
    return success();
  // All lanes get all of them again. Copies of one value have the same bits:
  // threads that go by them must not part.
  int64_t others = w.lanes - 1;
  for (unsigned bit : isSame ? first : ArrayRef<unsigned>(bits))
    others &= ~(int64_t(1) << bit);
  Value lane = w.and_(w.threadId(), w.c32(others));
  SmallVector<Part> mine(std::move(parts));
  parts.clear();
  for (size_t i = 0; i < count; ++i) {
    int64_t owner = 0;
    for (auto [step, bit] : llvm::enumerate(first))
      if (i & (count >> (step + 1)))
        owner |= int64_t(1) << bit;
    Value from = w.or_(lane, w.c32(owner));
    parts.push_back(fetch(mine[i % mine.size()], [&](Value value) {
      return w.shuffleFrom(value, from);
    }));
  }
  return success();
}

/// The bits of a thread that are one of its warp and count along the axis.
static SmallVector<unsigned> warpBitsAlong(tile::ReduceOp op, unsigned laneBits,
                                           unsigned warpBits) {
  SmallVector<unsigned> bits;
  LayoutAttr source = getLayout(op.getSources()[0]);
  for (auto [bit, basis] : llvm::enumerate(source.getWarpBases(warpBits)))
    if (basis[op.getAxis()])
      bits.push_back(bit + laneBits);
  return bits;
}

WarpExchange::WarpExchange(tile::ReduceOp op, LayoutAttr layout,
                           unsigned laneBits, unsigned warpBits)
    : bits(warpBitsAlong(op, laneBits, warpBits)),
      threads(laneBits + warpBits, [&](unsigned bit) {
        return llvm::is_contained(bits, bit) ||
               isCopyBit(layout, bit, laneBits, warpBits);
      }) {
  auto type = cast<RankedTensorType>(op.getSources()[0].getType());
  // One list for each value, and one for whether it is there.
  for (Value value : op.getSources())
    types.push_back(
        ThreadBuilder::scalarType(getElementTypeOrSelf(value.getType())));
  if (!llvm::isPowerOf2_64(type.getDimSize(op.getAxis())))
    types.push_back(IntegerType::get(op.getContext(), 1));
  for (unsigned bit = 0; bit < laneBits; ++bit)
    if (isCopyBit(layout, bit, laneBits, warpBits))
      readers.push_back(bit);
  elements = threads.count() * layout.getNumRegisters();
  for (Type type : types) {
    places.push_back(bytes);
    bytes = llvm::alignTo(bytes + (elements << bits.size()) *
                                      ThreadBuilder::storedBytes(type),
                          16);
  }
}

/// The lanes that read different elements of a list. Every thread reads a short
/// list alone. Of a longer one each lane reads a few, one vector, and exchanges
/// the rest: all threads do this, so the instructions count.
ArrayRef<unsigned> Reduction::readersOf(const WarpExchange &exchange) const {
  constexpr unsigned few = 2; ///< bits of a vector's elements
  unsigned bits = exchange.bits.size();
  if (bits < few + 2 || !isSymmetric())
    return {};
  return ArrayRef(exchange.readers).take_front(bits - few);
}

LogicalResult Reduction::acrossWarps(SmallVectorImpl<Part> &parts,
                                     LayoutAttr layout) {
  WarpExchange exchange(op, layout, w.laneBits(), w.warpBits());
  if (exchange.bits.empty())
    return success();
  int64_t count = int64_t(1) << exchange.bits.size(),
          threads = exchange.threads.count(), elements = exchange.elements;
  bool mayMiss = exchange.types.size() > parts[0].values.size();
  Value own = exchange.threads.ofThread(w);
  ArrayRef<Type> types = exchange.types;
  ArrayRef<int64_t> places = exchange.places;
  int64_t start = w.scratch(exchange.bytes);
  auto bitOf = [&](unsigned bit) {
    return w.and_(
        w.b.createOrFold<arith::ShRUIOp>(w.loc, w.threadId(), w.c32(bit)),
        w.c32(1));
  };
  Value index = w.c32(0);
  for (auto [to, bit] : llvm::enumerate(exchange.bits))
    index = w.add(index, w.mul(bitOf(bit), w.c32(elements << to)));
  auto placeOf = [&](int64_t reg) { return w.add(own, w.c32(reg * threads)); };
  for (auto [reg, part] : llvm::enumerate(parts)) {
    Value place = w.add(placeOf(reg), index);
    SmallVector<Value> values(part.values);
    if (mayMiss)
      values.push_back(part.isThere ? part.isThere
                                    : w.constant(w.b.getI1Type(), 1));
    for (auto [value, to] : llvm::zip_equal(values, places)) {
      Value stored = w.toStored(value);
      LLVM::StoreOp::create(
          w.b, w.loc, stored,
          w.elementPointer(w.shared(start + to), place, stored.getType()));
    }
  }
  w.barrier();
  ArrayRef<unsigned> readers = readersOf(exchange);
  int64_t mine = count >> readers.size();
  Value first = w.c32(0);
  for (auto [to, bit] : llvm::enumerate(readers))
    first = w.add(first, w.mul(bitOf(bit), w.c32((elements * mine) << to)));
  for (auto [reg, part] : llvm::enumerate(parts)) {
    Value place = w.add(placeOf(reg), first);
    SmallVector<Part> all;
    for (int64_t i = 0; i < mine; ++i) {
      Part one;
      for (auto [type, from] : llvm::zip_equal(types, places))
        one.values.push_back(w.readElement(
            start + from, w.add(place, w.c32(i * elements)), type));
      if (mayMiss)
        one.isThere = one.values.pop_back_val();
      all.push_back(one);
    }
    auto both = combineAll(all);
    if (failed(both))
      return failure();
    part = *both;
  }
  for (unsigned bit : readers)
    if (failed(combineAcross(parts, bit)))
      return failure();
  return success();
}

/// A left fold by ascending index: one thread for each element of the result.
LogicalResult Reduction::inOrder() {
  SmallVector<int64_t> places;
  int64_t bytes = ThreadBuilder::placeTiles(op.getSources(), places);
  int64_t start = w.scratch(bytes);
  for (auto [value, place] : llvm::zip_equal(op.getSources(), places))
    w.writeTile(start + place, w.registers(value), getLayout(value),
                type.getShape());
  w.barrier();
  LayoutAttr layout = getLayout(op.getResults()[0]);
  SmallVector<Regs> results(op.getNumResults());
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    auto read = [&](Value i) {
      SmallVector<Value> at;
      for (int64_t d = 0; d + 1 < type.getRank(); ++d)
        at.push_back(w.coordinate(layout, reg, d));
      at.insert(at.begin() + axis, i);
      Value place = w.position(at, type.getShape());
      SmallVector<Value> values;
      for (auto [source, from] : llvm::zip_equal(op.getSources(), places))
        values.push_back(w.readElement(
            start + from, place,
            ThreadBuilder::scalarType(getElementTypeOrSelf(source.getType()))));
      return values;
    };
    auto loop =
        scf::ForOp::create(w.b, w.loc, w.c32(1), w.c32(type.getDimSize(axis)),
                           w.c32(1), read(w.c32(0)));
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(loop.getBody());
    SmallVector<Value> arguments(loop.getRegionIterArgs());
    arguments.append(read(loop.getInductionVar()));
    auto made = w.inlineRegion(op.getCombiner(), arguments);
    if (failed(made))
      return failure();
    scf::YieldOp::create(w.b, w.loc, *made);
    for (auto [list, value] : llvm::zip_equal(results, loop.getResults()))
      list.push_back(value);
    w.b.setInsertionPointAfter(loop);
  }
  for (auto [result, regs] : llvm::zip_equal(op.getResults(), results))
    w.define(result, std::move(regs));
  return success();
}

LogicalResult Reduction::run() {
  for (Value value : op.getSources())
    if (getLayout(value) != source)
      return op.emitOpError("has tiles of several layouts");
  if (op.getOrdered())
    return inOrder();
  LayoutAttr layout = source.dropDim(axis);
  for (Value result : op.getResults())
    if (getLayout(result) != layout)
      return op.emitOpError("expected results of layout ") << layout;
  // A basis is along the axis or it is not.
  auto all = source.getRegisterBases();
  all.append(source.getLaneBases(w.laneBits()));
  all.append(source.getWarpBases(w.warpBits()));
  for (const LayoutAttr::Basis &basis : all)
    if (basis[axis] && llvm::any_of(llvm::enumerate(basis), [&](auto it) {
          return int64_t(it.index()) != axis && it.value();
        }))
      return w.decline(op, "a layout that mixes the axis with others");
  // Registers.
  int64_t size = type.getDimSize(axis);
  bool isPadded = !llvm::isPowerOf2_64(size);
  SmallVector<SmallVector<Part>> groups(layout.getNumRegisters());
  for (int64_t reg = 0; reg < source.getNumRegisters(); ++reg) {
    auto at = source.getRegisterOffset(reg);
    at.erase(at.begin() + axis);
    int64_t group = ThreadWriter::registerAt(layout, at);
    Part part;
    for (Value value : op.getSources())
      part.values.push_back(w.registers(value)[reg]);
    if (isPadded)
      part.isThere = w.compare(arith::CmpIPredicate::ult,
                               w.coordinate(source, reg, axis), w.c32(size));
    groups[group].push_back(part);
  }
  // Elements that about fit into registers are better all requested before the
  // first of them is waited for.
  int64_t elements = source.getNumRegisters() * op.getSources().size();
  SmallVector<Part> parts;
  if (elements > 2 * registersOf(target::getDescription(op))) {
    auto early = combineEarly(groups);
    if (failed(early))
      return failure();
    parts = std::move(*early);
  } else {
    for (SmallVector<Part> &group : groups) {
      auto part = combineAll(group);
      if (failed(part))
        return failure();
      parts.push_back(*part);
    }
  }
  if (failed(acrossLanes(parts)) || failed(acrossWarps(parts, layout)))
    return failure();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Regs regs;
    for (const Part &part : parts)
      regs.push_back(part.values[i]);
    w.define(result, std::move(regs));
  }
  return success();
}

static ScratchNeeds reduceNeeds(tile::ReduceOp op, const BlockShape &block) {
  SmallVector<int64_t> places;
  if (op.getOrdered())
    return {{ThreadBuilder::placeTiles(op.getSources(), places)}};
  WarpExchange exchange(op, getLayout(op.getResults()[0]), block.laneBits(),
                        block.warpBits());
  return exchange.bits.empty() ? ScratchNeeds()
                               : ScratchNeeds{{exchange.bytes}};
}

static LogicalResult lowerReduce(tile::ReduceOp op, ThreadWriter &w) {
  return Reduction(w, op).run();
}

static LayoutRule layoutsOfReduce(tile::ReduceOp op, const LayoutQuery &query) {
  LayoutRule rule(op);
  LayoutAttr layout = query.of(op.getSources());
  if (!layout)
    layout = query.settled(op.getSources()[0]);
  assignAll(op->getOperands(), layout, rule.operands);
  if (!op.getOrdered())
    assignAll(op->getResults(), layout.dropDim(op.getAxis()), rule.results);
  return rule;
}

void simt::addReduceLowerings(LoweringTable &table) {
  table.add<tile::ReduceOp>(lowerReduce, reduceNeeds);
  table.addLayouts<tile::ReduceOp, layoutsOfReduce>();
}
