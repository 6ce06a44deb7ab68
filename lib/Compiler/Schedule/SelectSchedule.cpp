//===- SelectSchedule.cpp - The first elements of an order ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instance walks along whole lines and keeps what may still be among the
// first: a block none of whose elements comes before the last of those is
// passed over at once. Few are kept in order, each new one is put in its place;
// many are collected, and sorted whenever there is no room for more. Machines
// whose threads share tiles keep the first ones of blocks, see BlockSort.h.
//
//===----------------------------------------------------------------------===//

#include "BlockSort.h"
#include "RadixSort.h"
#include "RankSelect.h"
#include "SortKeys.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Up to so many are kept in order.
static constexpr int64_t kFew = 32;
/// Elements that are looked at together.
static constexpr int64_t kBlock = 64;
/// Blocks of which a thread has the elements while it sorts, at most.
static constexpr int64_t kMostBlocks = 2;
/// Room that is worth a sort.
static constexpr int64_t kLeastRoom = 256;

namespace {

/// Keys and where their elements are.
struct Kept {
  Line keys, places;
};

class Selector {
public:
  Selector(prim::ArgsortOp op, int64_t limit, ScheduleContext &ctx,
           const Buffer &out)
      : lines(ctx, op.getLoc(), ctx.host.sizesOf(op.getOperands()[0]),
              op.getDim()),
        b(lines.b), loc(lines.loc), limit(limit),
        length(ctx.host.sizesOf(op.getOperands()[0])[op.getDim()]),
        order(SortOrder::of(op)),
        key(RadixSort::keyTypeOf(getElementTypeOrSelf(op.getOperands()[0]))),
        place(out.elementType()),
        source(lines.lineOf(ctx.host.buffer(op.getOperands()[0]),
                            /*write=*/false)),
        result(lines.lineOf(out, /*write=*/true)) {}

  void run();

private:
  /// What is known of a line so far, all scalars: how many are kept, the key
  /// that others must be less than, and whether any is taken.
  struct State {
    Value count, bound, isOpen;

    explicit State(ValueRange values)
        : count(values[0]), bound(values[1]), isOpen(values[2]) {}
    State(Value count, Value bound, Value isOpen)
        : count(count), bound(bound), isOpen(isOpen) {}
    SmallVector<Value> values() const { return {count, bound, isOpen}; }
  };
  bool isFew() const { return limit <= kFew; }
  Value index(int64_t value) { return lines.kernel.constant(value); }
  Value keyOf(Value tile) { return sortKeys(b, loc, tile, key, order); }
  Value is(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  /// Whether an element of this key may be among the first.
  Value passes(Value least, const State &state) {
    return arith::OrIOp::create(
        b, loc, is(arith::CmpIPredicate::slt, least, state.bound),
        state.isOpen);
  }
  Value least(Value keys);
  void put(const Kept &kept, Value tile, Value at, Value to);
  State insert(Value tile, Value at, const State &state);
  State collect(Value tile, Value at, const State &state);
  State lookAt(Value first, const State &state);
  void sort(Value count);

  SerialLines lines;
  OpBuilder &b;
  Location loc;
  int64_t limit;
  Extent length;
  SortOrder order;
  IntegerType key;
  Type place;
  Line source, result;
  int64_t room = 0;
  Kept kept, other;
  std::optional<RadixSort> radix;
};

} // namespace

/// The least of the keys of a block.
Value Selector::least(Value keys) {
  auto reduce = tile::ReduceOp::create(b, loc, RankedTensorType::get({}, key),
                                       keys, uint64_t(0), false);
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&reduce.getCombiner(), {}, {key, key}, {loc, loc});
  Value less = arith::MinSIOp::create(b, loc, block->getArgument(0),
                                      block->getArgument(1));
  tile::YieldOp::create(b, loc, less);
  b.setInsertionPointAfter(reduce);
  return tensor::ExtractOp::create(b, loc, reduce.getResult(0), ValueRange());
}

void Selector::put(const Kept &to, Value tile, Value at, Value where) {
  lines.store(tile, to.keys, where);
  lines.store(at, to.places, where);
}

/// Keeps an element in its place; the last one gives way.
Selector::State Selector::insert(Value tile, Value at, const State &state) {
  Value mine = lines.scalar(tile), zero = index(0), one = index(1);
  Value last = index(limit - 1);
  Value start = arith::MinSIOp::create(b, loc, state.count, last);
  auto loop = scf::WhileOp::create(b, loc, b.getIndexType(), start);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *test = b.createBlock(&loop.getBefore(), {}, b.getIndexType(), loc);
    Value to = test->getArgument(0);
    Value before = lines.load(kept.keys, lines.kernel.sub(to, one));
    // Of equals the first stays first.
    Value isLater = is(arith::CmpIPredicate::sgt, lines.scalar(before), mine);
    Value isInside = is(arith::CmpIPredicate::sgt, to, zero);
    Value more = arith::AndIOp::create(b, loc, isInside, isLater);
    scf::ConditionOp::create(b, loc, more, to);
    Block *body = b.createBlock(&loop.getAfter(), {}, b.getIndexType(), loc);
    to = body->getArgument(0);
    Value from = lines.kernel.sub(to, one);
    put(kept, lines.load(kept.keys, from), lines.load(kept.places, from), to);
    scf::YieldOp::create(b, loc, from);
  }
  put(kept, tile, lines.tileOf(at, place), loop.getResult(0));
  Value count = arith::MinSIOp::create(
      b, loc, lines.kernel.add(state.count, one), index(limit));
  Value bound =
      lines.scalar(lines.load(kept.keys, lines.kernel.sub(count, one)));
  return {count, bound, is(arith::CmpIPredicate::slt, count, index(limit))};
}

/// Keeps an element behind the others if it may be among the first.
Selector::State Selector::collect(Value tile, Value at, const State &state) {
  put(kept, tile, lines.tileOf(at, place), state.count);
  Value isTaken = passes(lines.scalar(tile), state);
  Value more = arith::AddIOp::create(b, loc, state.count, index(1));
  Value count = arith::SelectOp::create(b, loc, isTaken, more, state.count);
  return {count, state.bound, state.isOpen};
}

/// Sorts what was collected.
void Selector::sort(Value count) {
  auto at = [&](const Kept &from, Value i) {
    return std::make_pair(lines.load(from.keys, i), lines.load(from.places, i));
  };
  radix->count(count, [&](Value i) { return lines.load(kept.keys, i); });
  Kept *from = &kept, *to = &other;
  for (unsigned digit = 0; digit < radix->digits(); ++digit) {
    radix->distribute(
        digit, count, [&](Value i) { return at(*from, i); },
        [&](Value tile, Value place, Value where) {
          put(*to, tile, place, where);
        });
    std::swap(from, to);
  }
  if (from == &kept)
    return;
  lines.loop(index(0), count, [&](Value i) {
    auto [tile, place] = at(other, i);
    put(kept, tile, place, i);
  });
}

/// Takes what it must of a block.
Selector::State Selector::lookAt(Value first, const State &state) {
  Value end =
      arith::MinSIOp::create(b, loc, lines.kernel.add(first, index(kBlock)),
                             lines.kernel.index(length));
  SmallVector<Value> values = lines.loop(
      first, end, 1, state.values(), [&](Value at, ValueRange carried) {
        State now(carried);
        Value tile = keyOf(lines.load(source, at));
        if (!isFew())
          return collect(tile, at, now).values();
        return lines.choose(passes(lines.scalar(tile), now), now.values(),
                            [&] { return insert(tile, at, now).values(); });
      });
  if (isFew())
    return State(values);
  // There must be room for the next block.
  State after(values);
  Value isFull =
      is(arith::CmpIPredicate::sgt, after.count, index(limit + room));
  return State(lines.choose(isFull, values, [&] {
    sort(after.count);
    Value bound = lines.scalar(lines.load(kept.keys, index(limit - 1)));
    Value never = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    return State(index(limit), bound, never).values();
  }));
}

void Selector::run() {
  room = isFew() ? 0 : std::max(limit, kLeastRoom);
  int64_t most = isFew() ? limit : limit + room + kBlock;
  kept = {lines.scratch(key, most), lines.scratch(place, most)};
  if (!isFew()) {
    other = {lines.scratch(key, most), lines.scratch(place, most)};
    radix.emplace(lines, key, place);
  }
  Value size = lines.kernel.index(length);
  Value bound = arith::ConstantOp::create(
      b, loc, IntegerAttr::get(key, APInt::getSignedMaxValue(key.getWidth())));
  Value always = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  State none(index(0), bound, always);
  State state(
      lines.loop(index(0), size, kBlock, none.values(),
                 [&](Value first, ValueRange carried) {
                   State now(carried);
                   // What is behind the end is looked at, but never taken.
                   Value keys = keyOf(lines.load(source, first, kBlock));
                   return lines.choose(passes(least(keys), now), carried, [&] {
                     return lookAt(first, now).values();
                   });
                 }));
  if (!isFew())
    sort(state.count);
  Value found = arith::MinSIOp::create(b, loc, state.count, index(limit));
  lines.loop(index(0), found, [&](Value at) {
    lines.store(lines.load(kept.places, at), result, at);
  });
  lines.finish("generic.select");
}

/// A buffer in which dimension `dim` may be missing, as there is one element
/// along it, with that dimension behind the others.
static Buffer withLines(Buffer buffer, unsigned dim) {
  if (buffer.rank() == dim) {
    buffer.sizes.push_back(1);
    buffer.strides.push_back(1);
  }
  return buffer;
}

/// The elements of a line that a group asks of an order: those from a place on,
/// or listed ones.
static std::optional<Ranks> findRanks(Operation *part, unsigned dim,
                                      ScheduleContext &ctx) {
  Ranks ranks;
  auto type = cast<RankedTensorType>(part->getResult(0).getType());
  if (auto slice = dyn_cast<SliceOpInterface>(part)) {
    ranks.first = slice.getStarts()[dim];
    ranks.count = type.getDimSize(dim);
    return ranks;
  }
  Value list = cast<prim::GatherOp>(part).getIndices();
  if (!ctx.host.hasBuffer(list))
    return {};
  ranks.list = withLines(ctx.host.buffer(list), dim);
  ranks.count = type.getRank() == dim ? 1 : type.getDimSize(dim);
  return ranks;
}

/// On machines whose threads share tiles; empty if the group was taken,
/// otherwise why not.
static std::string selectByBlocks(prim::ArgsortOp op, const Ranks &ranks,
                                  ScheduleContext &ctx, Value result) {
  Extent length = ctx.host.sizesOf(op.getOperands()[0])[op.getDim()];
  if (!sortsBlocks(op, ctx))
    return "a key has more than 32 bits";
  // A line that is too short is an error, which a launch has to find.
  if (!ranks.list && !length.isStatic())
    return "only a launch knows how long lines are";
  if (ShapedType::isDynamic(ranks.count))
    return "only a launch knows how many elements are wanted";
  if (ranks.list || ranks.first) {
    std::string reason = whyNoRanks(op, ranks, ctx);
    if (!reason.empty())
      return reason;
    Buffer out = ctx.host.destination(result);
    selectRanks(op, ranks, ctx, withLines(out, op.getDim()));
    ctx.host.setBuffer(result, out);
    return "";
  }
  bool areMany = ranks.count > sortedBlockOf(ctx) / 2;
  if (areMany && ranks.count > kMostBlocks * sortedBlockOf(ctx))
    return "more elements are wanted than two blocks";
  if (areMany)
    if (std::string reason = whyNoRanks(op, Ranks(), ctx); !reason.empty())
      return reason;
  Buffer out = ctx.host.destination(result);
  if (areMany)
    selectMany(op, ranks.count, ctx, out);
  else
    selectInRounds(op, ranks.count, length.get(), ctx, out);
  ctx.host.setBuffer(result, out);
  return "";
}

LogicalResult kiln::schedule::scheduleSelect(prim::FusionOp fusion,
                                             ScheduleContext &ctx) {
  Value result = fusion.getResult(0);
  Value root = fusion.getBody().front().getTerminator()->getOperand(0);
  Operation *part = root.getDefiningOp();
  auto op = isa_and_nonnull<SliceOpInterface, prim::GatherOp>(part)
                ? part->getOperand(0).getDefiningOp<prim::ArgsortOp>()
                : prim::ArgsortOp();
  if (!op)
    return ctx.decline(fusion, "all elements are wanted");
  if (op.getOperands().size() != 1)
    return ctx.decline(fusion, "there are several keys");
  if (!ctx.host.hasBuffer(op.getOperands()[0]))
    return ctx.decline(fusion, "an operand of a sort must be in memory");
  std::optional<Ranks> ranks = findRanks(part, op.getDim(), ctx);
  if (!ranks)
    return ctx.decline(fusion, "the ranks must be in memory");
  if (ctx.tiling.model().sharesTiles()) {
    std::string reason = selectByBlocks(op, *ranks, ctx, result);
    return reason.empty() ? success() : ctx.decline(fusion, reason);
  }
  if (ranks->list || ranks->first)
    return ctx.decline(fusion, "elements from the middle of an order are "
                               "wanted");
  int64_t limit = ranks->count;
  Extent length = ctx.host.sizesOf(op.getOperands()[0])[op.getDim()];
  if (limit > kFew && length.isStatic() && length.get() / 4 < limit)
    return ctx.decline(fusion, "most elements are wanted");
  Buffer out = ctx.host.destination(result);
  Selector(op, limit, ctx, out).run();
  ctx.host.setBuffer(result, out);
  return success();
}
