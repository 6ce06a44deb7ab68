//===- RankSelect.cpp - Elements of an order by their ranks ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankSelect.h"
#include "BlockSort.h"
#include "BlockThreads.h"
#include "SortKeys.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Elements of a line that a thread keeps in registers, and those that it reads
/// at once where lines are longer.
static constexpr int64_t kKept = 64, kRead = 16;

namespace {

class RankSelector {
public:
  RankSelector(prim::ArgsortOp op, const Ranks &ranks, ScheduleContext &ctx,
               const Buffer &out, int64_t block)
      : source(ctx.host.buffer(op.getOperands().front())),
        line(ctx, op.getLoc(), ctx.kernelName, source.sizes, op.getDim(),
             /*across=*/-1, block),
        b(line.b), loc(line.loc), ranks(ranks), out(out),
        length(source.sizes[op.getDim()]), order(SortOrder::of(op)),
        // Keys of one bit are not negative, or not positive.
        keyBits(std::max(2u, getElementTypeOrSelf(op.getOperands().front())
                                 .getIntOrFloatBitWidth())) {}

  /// Writes the places of the elements of the ranks.
  void run();
  /// Writes the elements up to the one rank, as pairs for sortPairs, in the
  /// order of the line.
  void collect();

private:
  /// A part of the line: keys, and where their elements are.
  struct Part {
    Value keys, places;
  };
  using OfPart = llvm::function_ref<Value(const Part &)>;
  /// Combines two integers, or tiles of them.
  using Combine = llvm::function_ref<Value(Value, Value)>;

  Value index(int64_t value) { return line.kernel.constant(value); }
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value numbers(int64_t value) {
    return line.constant(b.getI32IntegerAttr(value));
  }
  Value splat(Value scalar) {
    return tile::SplatOp::create(b, loc, line.tileType(b.getI32Type()), scalar);
  }
  template <typename Op> Value make(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value is(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Part readPart(Value at);
  Value reduce(Value tile, Combine combine);
  Value overLine(int64_t initial, OfPart ofPart, Combine combine);
  Value count(llvm::function_ref<Value(const Part &)> isCounted);
  std::pair<Value, Value> search(int64_t least, unsigned bits, Value rank,
                                 llvm::function_ref<Value(Value)> countBelow);
  Value placeAmong(Value key, Value rank);
  Value rankAt(Value at);
  /// The key of the element of a rank, and its place in the line.
  std::pair<Value, Value> find(Value rank);
  void select(Value at);
  Value pairs(const Part &part);
  Value numbersOf(Value isCounted);
  Value put(const Part &part, Value key, Value place, Value before);
  void keepLine();

  Buffer source;
  LineKernel line;
  OpBuilder &b;
  Location loc;
  const Ranks &ranks;
  const Buffer &out;
  Extent length;
  SortOrder order;
  unsigned keyBits;
  std::optional<Part> all; ///< the whole line, if threads keep it
};

} // namespace

/// What is behind the end of the line comes last.
RankSelector::Part RankSelector::readPart(Value at) {
  IntegerType key = b.getI32Type();
  Part part;
  part.keys = sortKeys(b, loc, line.load(source, at), key, order);
  part.places = make<arith::AddIOp>(line.splat(at, key), line.steps(key));
  if (length.isStatic() && length.get() % line.block == 0)
    return part;
  Value isThere = is(arith::CmpIPredicate::slt, part.places,
                     line.splat(line.kernel.index(length), key));
  part.keys = arith::SelectOp::create(
      b, loc, isThere, part.keys, numbers(std::numeric_limits<int32_t>::max()));
  return part;
}

Value RankSelector::reduce(Value tile, Combine combine) {
  Type type = b.getI32Type();
  auto made = tile::ReduceOp::create(b, loc, RankedTensorType::get({}, type),
                                     tile, uint64_t(0), false);
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&made.getCombiner(), {}, {type, type}, {loc, loc});
  Value both = combine(block->getArgument(0), block->getArgument(1));
  tile::YieldOp::create(b, loc, both);
  b.setInsertionPointAfter(made);
  return tensor::ExtractOp::create(b, loc, made.getResult(0), ValueRange());
}

/// Combines what is computed from all parts of the line.
Value RankSelector::overLine(int64_t initial, OfPart ofPart, Combine combine) {
  if (all)
    return reduce(ofPart(*all), combine);
  auto loop =
      scf::ForOp::create(b, loc, index(0), line.kernel.index(length),
                         index(line.block), ValueRange(numbers(initial)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = combine(loop.getRegionIterArgs()[0],
                         ofPart(readPart(loop.getInductionVar())));
    scf::YieldOp::create(b, loc, next);
  }
  return reduce(loop.getResult(0), combine);
}

Value RankSelector::count(llvm::function_ref<Value(const Part &)> isCounted) {
  return overLine(
      0,
      [&](const Part &part) -> Value {
        return arith::ExtUIOp::create(b, loc, line.tileType(b.getI32Type()),
                                      isCounted(part));
      },
      [&](Value x, Value y) { return make<arith::AddIOp>(x, y); });
}

/// The largest number below which there are no more than `rank`, of `bits` bits
/// above `least`; and how many there are.
std::pair<Value, Value>
RankSelector::search(int64_t least, unsigned bits, Value rank,
                     llvm::function_ref<Value(Value)> countBelow) {
  Value highest = number(int64_t(int32_t(uint32_t(1) << (bits - 1))));
  auto loop = scf::ForOp::create(b, loc, index(0), index(bits), index(1),
                                 ValueRange{number(least), highest, number(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value found = loop.getRegionIterArgs()[0], bit = loop.getRegionIterArgs()[1];
  // From the least number on, the sum wraps where the sign changes.
  Value next = make<arith::AddIOp>(found, bit);
  Value below = countBelow(next);
  Value isTaken = is(arith::CmpIPredicate::sle, below, rank);
  found = arith::SelectOp::create(b, loc, isTaken, next, found);
  below = arith::SelectOp::create(b, loc, isTaken, below,
                                  loop.getRegionIterArgs()[2]);
  scf::YieldOp::create(
      b, loc, ValueRange{found, make<arith::ShRUIOp>(bit, number(1)), below});
  return {loop.getResult(0), loop.getResult(2)};
}

/// Where the element number `rank` of those with this key is.
Value RankSelector::placeAmong(Value key, Value rank) {
  Value isFirst = is(arith::CmpIPredicate::eq, rank, number(0));
  auto choice = scf::IfOp::create(b, loc, TypeRange(b.getI32Type()), isFirst,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto isEqual = [&](const Part &part) {
    return is(arith::CmpIPredicate::eq, part.keys, splat(key));
  };
  constexpr int64_t kNone = std::numeric_limits<int32_t>::max();
  b.setInsertionPointToStart(choice.thenBlock());
  Value first = overLine(
      kNone,
      [&](const Part &part) -> Value {
        return arith::SelectOp::create(b, loc, isEqual(part), part.places,
                                       numbers(kNone));
      },
      [&](Value x, Value y) { return make<arith::MinSIOp>(x, y); });
  scf::YieldOp::create(b, loc, first);
  b.setInsertionPointToStart(choice.elseBlock());
  unsigned bits = length.isStatic()
                      ? std::max(1u, llvm::Log2_64_Ceil(length.get()))
                      : std::numeric_limits<int32_t>::digits;
  Value other = search(0, bits, rank, [&](Value place) {
                  return count([&](const Part &part) {
                    return make<arith::AndIOp>(isEqual(part),
                                               is(arith::CmpIPredicate::slt,
                                                  part.places, splat(place)));
                  });
                }).first;
  scf::YieldOp::create(b, loc, other);
  return choice.getResult(0);
}

/// Rank number `at` of the line.
Value RankSelector::rankAt(Value at) {
  Type type = b.getI32Type();
  if (!ranks.list)
    return arith::IndexCastOp::create(b, loc, type,
                                      line.kernel.add(at, index(ranks.first)));
  int64_t block = std::exchange(line.block, 1);
  Value tile = line.load(*ranks.list, at);
  line.block = block;
  Value rank = tensor::ExtractOp::create(b, loc, tile, ValueRange(index(0)));
  if (rank.getType().getIntOrFloatBitWidth() > 32)
    return arith::TruncIOp::create(b, loc, type, rank);
  if (rank.getType().getIntOrFloatBitWidth() < 32)
    return arith::ExtSIOp::create(b, loc, type, rank);
  return rank;
}

std::pair<Value, Value> RankSelector::find(Value rank) {
  int64_t least = -(int64_t(1) << (keyBits - 1));
  auto [key, below] = search(least, keyBits, rank, [&](Value next) {
    return count([&](const Part &part) {
      return is(arith::CmpIPredicate::slt, part.keys, splat(next));
    });
  });
  return {key, placeAmong(key, make<arith::SubIOp>(rank, below))};
}

void RankSelector::select(Value at) {
  Value place = find(rankAt(at)).second;
  if (out.elementType().getIntOrFloatBitWidth() > 32)
    place = arith::ExtSIOp::create(b, loc, out.elementType(), place);
  auto type = RankedTensorType::get({1}, out.elementType());
  line.store(tile::SplatOp::create(b, loc, type, place), out, at);
}

/// Threads keep lines that they have room for.
void RankSelector::keepLine() {
  if (length.isStatic() && length.get() <= line.block)
    all = readPart(index(0));
}

void RankSelector::run() {
  keepLine();
  if (ranks.count == 1) {
    select(index(0));
  } else {
    auto loop =
        scf::ForOp::create(b, loc, index(0), index(ranks.count), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    select(loop.getInductionVar());
  }
  line.kernel.finish("generic.select");
}

/// Keys and places, as sortPairs takes them.
Value RankSelector::pairs(const Part &part) {
  constexpr int64_t kKeyBits = 32;
  Type wide = line.tileType(b.getI64Type());
  Value keys =
      make<arith::ShLIOp>(arith::ExtSIOp::create(b, loc, wide, part.keys),
                          line.constant(b.getI64IntegerAttr(kKeyBits)));
  return make<arith::OrIOp>(keys,
                            arith::ExtUIOp::create(b, loc, wide, part.places));
}

/// How many elements count up to each one, with it.
Value RankSelector::numbersOf(Value isCounted) {
  Type type = b.getI32Type();
  Value ones = arith::ExtUIOp::create(b, loc, line.tileType(type), isCounted);
  auto scan = tile::ScanOp::create(b, loc, ones.getType(), ones, uint64_t(0),
                                   /*reverse=*/false);
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&scan.getCombiner(), {}, {type, type}, {loc, loc});
  Value sum = make<arith::AddIOp>(block->getArgument(0), block->getArgument(1));
  tile::YieldOp::create(b, loc, sum);
  return scan.getResult(0);
}

/// Writes what a part has up to an element, behind `before` others; gives back
/// how many there are with them.
Value RankSelector::put(const Part &part, Value key, Value place,
                        Value before) {
  Value isEarlier = make<arith::AndIOp>(
      is(arith::CmpIPredicate::eq, part.keys, splat(key)),
      is(arith::CmpIPredicate::sle, part.places, splat(place)));
  Value isTaken = make<arith::OrIOp>(
      is(arith::CmpIPredicate::slt, part.keys, splat(key)), isEarlier);
  Value numbers = numbersOf(isTaken);
  Type i64 = b.getI64Type();
  Value to = arith::ExtSIOp::create(
      b, loc, line.tileType(i64),
      make<arith::SubIOp>(make<arith::AddIOp>(numbers, splat(before)),
                          this->numbers(1)));
  to = arith::SelectOp::create(b, loc, isTaken, to,
                               line.constant(b.getI64IntegerAttr(-1)));
  line.scatter(pairs(part), out, to);
  return make<arith::AddIOp>(before, reduce(numbers, [&](Value x, Value y) {
                               return make<arith::MaxSIOp>(x, y);
                             }));
}

void RankSelector::collect() {
  keepLine();
  auto [key, place] = find(rankAt(index(0)));
  if (all) {
    put(*all, key, place, number(0));
  } else {
    auto loop = scf::ForOp::create(b, loc, index(0), line.kernel.index(length),
                                   index(line.block), ValueRange(number(0)));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = put(readPart(loop.getInductionVar()), key, place,
                     loop.getRegionIterArgs()[0]);
    scf::YieldOp::create(b, loc, next);
  }
  line.kernel.finish("generic.select");
}

std::string kiln::schedule::whyNoRanks(prim::ArgsortOp op, const Ranks &ranks,
                                       ScheduleContext &ctx) {
  // So many searches take about as long as a sort.
  constexpr int64_t kMostRanks = 8;
  if (ranks.count > kMostRanks)
    return "many elements are wanted, not from the first on";
  // One instance takes a line. A sort gives a line to many of them that the
  // largest block does not keep in its registers.
  constexpr int64_t kManyLines = 4;
  int64_t longLine = kKept * mostBlockThreads(ctx.description);
  SmallVector<Extent> sizes = ctx.host.sizesOf(op.getOperands().front());
  int64_t lines = 1;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (d != op.getDim())
      lines = size.isStatic() ? lines * size.get() : kManyLines;
  Extent length = sizes[op.getDim()];
  if (lines < kManyLines && length.isStatic() && length.get() > longLine)
    return "lines are few and long";
  return "";
}

/// The block of a kernel along lines.
static int64_t blockFor(Extent length, ScheduleContext &ctx) {
  int64_t threads = countBlockThreads(ctx.description);
  return length.isStatic() && length.get() <= kKept * threads
             ? llvm::PowerOf2Ceil(length.get())
             : kRead * threads;
}

void kiln::schedule::selectRanks(prim::ArgsortOp op, const Ranks &ranks,
                                 ScheduleContext &ctx, const Buffer &out) {
  Extent length = ctx.host.sizesOf(op.getOperands().front())[op.getDim()];
  RankSelector(op, ranks, ctx, out, blockFor(length, ctx)).run();
}

void kiln::schedule::selectMany(prim::ArgsortOp op, int64_t limit,
                                ScheduleContext &ctx, const Buffer &out) {
  unsigned dim = op.getDim();
  SmallVector<Extent> sizes = ctx.host.sizesOf(op.getOperands().front());
  Extent length = sizes[dim];
  sizes[dim] = limit;
  Buffer pairs =
      ctx.host.allocate(IntegerType::get(op.getContext(), 64), sizes);
  Ranks last;
  last.first = limit - 1;
  last.count = 1;
  RankSelector(op, last, ctx, pairs, blockFor(length, ctx)).collect();
  LineKernel line(ctx, op.getLoc(), ctx.kernelName + "_sort", sizes, dim,
                  /*across=*/-1, llvm::PowerOf2Ceil(limit), /*spread=*/true);
  Value sorted = sortPairs(line, line.load(pairs, line.start), Extent(limit));
  line.store(placesOf(line, sorted, out.elementType()), out, line.start);
  line.kernel.finish("generic.sort");
}
