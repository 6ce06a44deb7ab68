//===- MergeSort.cpp - Long lines sorted by merges of blocks --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MergeSort.h"
#include "BlockSort.h"
#include "BlockThreads.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

using Pred = arith::CmpIPredicate;

namespace {

/// The kernel that merges neighbouring runs of `run` elements.
class RunMerger {
public:
  RunMerger(ScheduleContext &ctx, Location loc, StringRef name,
            ArrayRef<Extent> sizes, unsigned dim, int64_t block,
            const Buffer &from, Extent run)
      : line(ctx, loc, name, sizes, dim, /*across=*/-1, block, /*spread=*/true),
        b(line.b), loc(loc), from(from),
        searched(std::min(block, countBlockThreads(ctx.description))),
        size(line.kernel.index(sizes[dim])), run(line.kernel.index(run)) {}

  /// The block of this instance, in order.
  Value merge();

  LineKernel line;

private:
  /// The first elements of both runs that are behind some elements of the
  /// merged one, and the bounds between which the search is for the left one.
  struct Split {
    Value behind, low, high;
  };

  Value index(int64_t value) { return line.kernel.constant(value); }
  template <typename Op> Value make(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value is(Pred predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value wide(Value scalar) { return line.splat(scalar, b.getI64Type()); }
  Value wide(int64_t number) {
    return line.constant(b.getI64IntegerAttr(number));
  }
  Value gather(Value places) {
    return line.gather(from, places, /*written=*/false);
  }
  Split splitBehind(Value count);
  Value rounds();
  Value sumOf(Value tile);
  Value stepOf(const Split &split);
  Value isBefore(const Split &split);
  Split narrowed(const Split &split, Value count);
  void narrow(Split &first, Split &second);
  void search(Split &first, Split &second);
  Value load(const Split &first, const Split &last);
  Value order(Value tile);

  OpBuilder &b;
  Location loc;
  const Buffer &from;
  int64_t searched; ///< places that one round of the search compares
  Value size, run;
  /// Where the left run and the right one begin, and how long they are.
  Value left, right, leftSize, rightSize;
};

} // namespace

RunMerger::Split RunMerger::splitBehind(Value count) {
  Value low =
      make<arith::MaxSIOp>(make<arith::SubIOp>(count, rightSize), index(0));
  return {count, low, make<arith::MinSIOp>(count, leftSize)};
}

/// How many rounds find one of `run` places.
Value RunMerger::rounds() {
  Value count = index(1);
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  for (int64_t reach = searched; reach < kMost; reach *= searched) {
    Value isMore = is(Pred::sgt, run, index(reach));
    count = make<arith::AddIOp>(count, select(isMore, index(1), index(0)));
  }
  return count;
}

Value RunMerger::sumOf(Value tile) {
  Type i64 = b.getI64Type();
  auto sum = tile::ReduceOp::create(b, loc, RankedTensorType::get({}, i64),
                                    tile, uint64_t(0), false);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&sum.getCombiner(), {}, {i64, i64}, {loc, loc});
  tile::YieldOp::create(
      b, loc,
      make<arith::AddIOp>(block->getArgument(0), block->getArgument(1)));
  b.setInsertionPointAfter(sum);
  return tensor::ExtractOp::create(b, loc, sum.getResult(0), ValueRange());
}

/// How far the places are apart that a round compares.
Value RunMerger::stepOf(const Split &split) {
  Value places = make<arith::SubIOp>(split.high, split.low);
  return make<arith::DivSIOp>(make<arith::AddIOp>(places, index(searched - 1)),
                              index(searched));
}

/// Which of some places are before the split: an element of the left run is if
/// it is less than the one of the right run that would be the last before the
/// split otherwise. So are all elements in front of it.
Value RunMerger::isBefore(const Split &split) {
  Value place = make<arith::AddIOp>(
      wide(split.low),
      make<arith::MulIOp>(line.steps(b.getI64Type()), wide(stepOf(split))));
  Value isInside = is(Pred::slt, place, wide(split.high));
  Value last =
      make<arith::SubIOp>(make<arith::AddIOp>(right, split.behind), index(1));
  auto at = [&](Value place) {
    return gather(select(isInside, place, wide(int64_t(-1))));
  };
  Value mine = at(make<arith::AddIOp>(place, wide(left)));
  Value other = at(make<arith::SubIOp>(wide(last), place));
  return make<arith::AndIOp>(isInside, is(Pred::slt, mine, other));
}

/// `count` of the places are before the split.
RunMerger::Split RunMerger::narrowed(const Split &split, Value count) {
  Value step = stepOf(split);
  Value reached =
      make<arith::AddIOp>(split.low, make<arith::MulIOp>(count, step));
  Value behindLast =
      make<arith::AddIOp>(make<arith::SubIOp>(reached, step), index(1));
  Value low = select(is(Pred::eq, count, index(0)), split.low, behindLast);
  return {split.behind, low, make<arith::MinSIOp>(split.high, reached)};
}

/// One round for both splits, whose counts are the halves of one sum: they wait
/// for memory, and for other threads, together.
void RunMerger::narrow(Split &first, Split &second) {
  constexpr unsigned kHalf = 32;
  llvm::SaveAndRestore<int64_t> searchedTile(line.block, searched);
  Type i64 = b.getI64Type();
  auto numberOf = [&](const Split &split) -> Value {
    return arith::ExtUIOp::create(b, loc, line.tileType(i64), isBefore(split));
  };
  Value low = numberOf(first), high = numberOf(second);
  Value both = sumOf(make<arith::AddIOp>(
      low, make<arith::ShLIOp>(high, wide(int64_t(kHalf)))));
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  auto indexOf = [&](Value scalar) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), scalar);
  };
  Value mask = number(std::numeric_limits<uint32_t>::max());
  first = narrowed(first, indexOf(make<arith::AndIOp>(both, mask)));
  second = narrowed(second, indexOf(make<arith::ShRUIOp>(both, number(kHalf))));
}

void RunMerger::search(Split &first, Split &second) {
  auto loop = scf::ForOp::create(
      b, loc, index(0), rounds(), index(1),
      ValueRange{first.low, first.high, second.low, second.high});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange now = loop.getRegionIterArgs();
    Split x{first.behind, now[0], now[1]}, y{second.behind, now[2], now[3]};
    narrow(x, y);
    scf::YieldOp::create(b, loc, ValueRange{x.low, x.high, y.low, y.high});
  }
  first.low = loop.getResult(0);
  second.low = loop.getResult(2);
}

/// The elements of the left run between two splits, those of the right run
/// behind them in the opposite order, and the greatest number between them
/// where these are not enough: they ascend, then descend.
Value RunMerger::load(const Split &first, const Split &last) {
  auto isRight = [&](const Split &split) {
    return make<arith::SubIOp>(split.behind, split.low);
  };
  Value ofLeft = make<arith::SubIOp>(last.low, first.low),
        ofRight = make<arith::SubIOp>(isRight(last), isRight(first));
  Value step = line.steps(b.getI64Type());
  Value fromLeft =
      make<arith::AddIOp>(wide(make<arith::AddIOp>(left, first.low)), step);
  Value end = make<arith::AddIOp>(make<arith::AddIOp>(right, isRight(first)),
                                  index(line.block - 1));
  Value fromRight = make<arith::SubIOp>(wide(end), step);
  Value behind = make<arith::SubIOp>(index(line.block), ofRight);
  Value place =
      select(is(Pred::sge, step, wide(behind)), fromRight, wide(int64_t(-1)));
  place = select(is(Pred::slt, step, wide(ofLeft)), fromLeft, place);
  return select(is(Pred::slt, place, wide(int64_t(0))),
                wide(std::numeric_limits<int64_t>::max()), gather(place));
}

/// The last steps of a bitonic network.
Value RunMerger::order(Value tile) {
  Value step = line.steps(b.getI64Type());
  for (int64_t distance = line.block / 2; distance; distance /= 2) {
    Value other =
        tile::ExchangeOp::create(b, loc, tile, uint64_t(0), uint64_t(distance));
    Value isUpper = is(Pred::ne, make<arith::AndIOp>(step, wide(distance)),
                       wide(int64_t(0)));
    tile = select(isUpper, make<arith::MaxSIOp>(tile, other),
                  make<arith::MinSIOp>(tile, other));
  }
  return tile;
}

Value RunMerger::merge() {
  Value both = make<arith::AddIOp>(run, run);
  left =
      make<arith::SubIOp>(line.start, make<arith::RemSIOp>(line.start, both));
  right = make<arith::MinSIOp>(make<arith::AddIOp>(left, run), size);
  leftSize = make<arith::SubIOp>(right, left);
  Value end = make<arith::MinSIOp>(make<arith::AddIOp>(left, both), size);
  rightSize = make<arith::SubIOp>(end, right);
  Value first = make<arith::SubIOp>(line.start, left);
  Value last =
      make<arith::MinSIOp>(make<arith::AddIOp>(first, index(line.block)),
                           make<arith::AddIOp>(leftSize, rightSize));
  Split begin = splitBehind(first), behind = splitBehind(last);
  search(begin, behind);
  return order(load(begin, behind));
}

void kiln::schedule::mergeSort(prim::ArgsortOp op, ScheduleContext &ctx,
                               const Buffer &out) {
  HostProgramBuilder &host = ctx.host;
  OpBuilder &h = host.builder;
  Location loc = op.getLoc();
  unsigned dim = op.getDim();
  SmallVector<Extent> sizes = host.sizesOf(op.getOperands().front());
  int64_t block = sortedBlockOf(ctx), size = sizes[dim].get();
  Type i64 = h.getI64Type();
  Buffer sets[2] = {host.allocate(i64, sizes), host.allocate(i64, sizes)};
  // The last merge writes places alone. Those before it go to and fro.
  unsigned passes = llvm::Log2_64_Ceil(llvm::divideCeil(size, block)) - 1;
  {
    LineKernel line(ctx, loc, ctx.kernelName, sizes, dim, /*across=*/-1, block,
                    /*spread=*/true);
    Value pairs = sortPairs(
        line, pairsOf(line, op, host.buffer(op.getOperands().front())),
        sizes[dim]);
    line.store(pairs, sets[passes % 2], line.start);
    line.kernel.finish("generic.sort");
  }
  auto pass = [&](unsigned from, Extent run, StringRef name) {
    RunMerger merger(ctx, loc, ctx.kernelName + name.str(), sizes, dim, block,
                     sets[from], run);
    Value merged = merger.merge();
    merger.line.store(merged, sets[1 - from], merger.line.start);
    merger.line.kernel.finish("generic.sort");
  };
  if (passes % 2)
    pass(1, block, "_first");
  int64_t begin = block << passes % 2, last = block << passes;
  if (begin < last) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(h, loc, value);
    };
    auto loop = scf::WhileOp::create(h, loc, TypeRange{h.getIndexType()},
                                     ValueRange{constant(begin)});
    OpBuilder::InsertionGuard guard(h);
    Block *test =
        h.createBlock(&loop.getBefore(), {}, {h.getIndexType()}, {loc});
    Value more = arith::CmpIOp::create(h, loc, Pred::slt, test->getArgument(0),
                                       constant(last));
    scf::ConditionOp::create(h, loc, more, test->getArguments());
    Block *body =
        h.createBlock(&loop.getAfter(), {}, {h.getIndexType()}, {loc});
    index::Math::Scope scope(host.math);
    Value run = body->getArgument(0);
    pass(0, host.math.of(run), "_merge");
    Value twice = arith::MulIOp::create(h, loc, run, constant(2));
    pass(1, host.math.of(twice), "_back");
    scf::YieldOp::create(
        h, loc, ValueRange{arith::MulIOp::create(h, loc, twice, constant(2))});
  }
  RunMerger merger(ctx, loc, ctx.kernelName + "_end", sizes, dim, block,
                   sets[0], last);
  Value merged = merger.merge();
  merger.line.store(placesOf(merger.line, merged, out.elementType()), out,
                    merger.line.start);
  merger.line.kernel.finish("generic.sort");
}
