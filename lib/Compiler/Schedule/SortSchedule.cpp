//===- SortSchedule.cpp - Permutations that sort --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys become integers in the order that is wanted. Then runs of 1, 2, 4, ...
// elements are merged in launches that the host counts: each element finds by
// bisection how many of the neighbouring run come before it, and goes to its
// place. Equal elements keep their order, and every size works.
//
// Machines whose threads share tiles sort whole blocks first, and begin with
// runs of a block. If they know the size, they merge blocks, see MergeSort.h,
// or sort long lines by digits, see RadixTiles.h.
//
//===----------------------------------------------------------------------===//

#include "BlockSort.h"
#include "MergeSort.h"
#include "RadixTiles.h"
#include "SingleOp.h"
#include "SortKeys.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

class Sorter {
public:
  Sorter(prim::ArgsortOp op, ScheduleContext &ctx, const Buffer &out)
      : op(op), ctx(ctx), host(ctx.host), out(out), dim(op.getDim()),
        sorted(sortedBlockOf(ctx)) {}

  void run();

private:
  /// Keys, and last the permutation.
  using Set = SmallVector<Buffer, 2>;

  Set allocate();
  void prepare(const Set &to);
  /// Writes keys (unless `to` has only the permutation) and the permutation,
  /// each block sorted.
  void sortBlocks(ArrayRef<Buffer> to);
  void merge(const Set &from, const Set &to, Value length, Value steps,
             StringRef name);
  void finish(const Set &from);

  prim::ArgsortOp op;
  ScheduleContext &ctx;
  HostProgramBuilder &host;
  const Buffer &out;
  unsigned dim;
  SmallVector<Extent> sizes;
  int64_t block = 256;
  int64_t sorted; ///< elements of a block that is sorted first
};

} // namespace

/// The type of the integers that keys become.
static IntegerType keyType(Type element) {
  bool isWide = element.getIntOrFloatBitWidth() == 64;
  return IntegerType::get(element.getContext(), isWide ? 64 : 32);
}

Sorter::Set Sorter::allocate() {
  Set result;
  for (Value operand : op.getOperands())
    result.push_back(
        host.allocate(keyType(getElementTypeOrSelf(operand)), sizes));
  result.push_back(host.allocate(out.elementType(), sizes));
  return result;
}

void Sorter::prepare(const Set &to) {
  LineKernel line(ctx, op.getLoc(), ctx.kernelName, sizes, dim, -1, block,
                  /*spread=*/true);
  for (auto [operand, buffer] : llvm::zip(op.getOperands(), to))
    line.store(
        sortKeys(line.b, line.loc, line.load(host.buffer(operand), line.start),
                 cast<IntegerType>(buffer.elementType()), SortOrder::of(op)),
        buffer, line.start);
  Type element = out.elementType();
  Value index = arith::AddIOp::create(
      line.b, line.loc, line.splat(line.start, element), line.steps(element));
  line.store(index, to.back(), line.start);
  line.kernel.finish("generic.sort");
}

void Sorter::sortBlocks(ArrayRef<Buffer> to) {
  LineKernel line(ctx, op.getLoc(), ctx.kernelName, sizes, dim, -1, sorted,
                  /*spread=*/true);
  Value pairs =
      sortPairs(line, pairsOf(line, op, host.buffer(op.getOperands().front())),
                sizes[dim]);
  if (to.size() > 1)
    line.store(keysOf(line, pairs), to.front(), line.start);
  line.store(placesOf(line, pairs, out.elementType()), to.back(), line.start);
  line.kernel.finish("generic.sort");
}

void Sorter::merge(const Set &from, const Set &to, Value length, Value steps,
                   StringRef name) {
  LineKernel line(ctx, op.getLoc(), name, sizes, dim, -1, block,
                  /*spread=*/true);
  OpBuilder &b = line.b;
  Location loc = line.loc;
  Type i64 = b.getI64Type();
  Value run = line.kernel.index(host.math.of(length));
  Value last = line.kernel.index(host.math.of(steps));
  Value size = line.splat(line.kernel.index(sizes[dim]), i64);
  Value runs = line.splat(run, i64);
  Value one = line.constant(b.getI64IntegerAttr(1));
  auto make = [&](auto tag, Value x, Value y) -> Value {
    return decltype(tag)::create(b, loc, x, y);
  };
  Value at =
      make(arith::AddIOp(), line.splat(line.start, i64), line.steps(i64));
  // The length of a run is a power of two.
  Value shift = line.splat(line.kernel.sub(last, line.kernel.constant(1)), i64);
  Value number = make(arith::ShRSIOp(), at, shift);
  Value mine = make(arith::ShLIOp(), number, shift);
  // The run that this one is merged with.
  Value isRight = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        make(arith::AndIOp(), number, one),
                                        line.constant(b.getI64IntegerAttr(0)));
  Value other =
      make(arith::ShLIOp(), make(arith::XOrIOp(), number, one), shift);
  Value low = make(arith::MinSIOp(), other, size);
  Value high = make(arith::MinSIOp(), make(arith::AddIOp(), other, runs), size);
  SmallVector<Value> keys;
  for (const Buffer &buffer : ArrayRef(from).drop_back())
    keys.push_back(line.load(buffer, line.start));
  auto loop =
      scf::ForOp::create(b, loc, line.kernel.constant(0), last,
                         line.kernel.constant(1), ValueRange{low, high});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = loop.getRegionIterArgs()[0],
          end = loop.getRegionIterArgs()[1];
    Value middle =
        make(arith::ShRSIOp(), make(arith::AddIOp(), first, end), one);
    Value before, equal;
    for (auto [key, buffer] : llvm::zip(keys, ArrayRef(from).drop_back())) {
      Value theirs = line.gather(buffer, middle, /*written=*/false);
      Value less =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, theirs, key);
      Value same =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, theirs, key);
      before = before ? make(arith::OrIOp(), before,
                             make(arith::AndIOp(), equal, less))
                      : less;
      equal = equal ? make(arith::AndIOp(), equal, same) : same;
    }
    // Of equals the left ones come first.
    before =
        make(arith::OrIOp(), before, make(arith::AndIOp(), equal, isRight));
    Value isOpen =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, first, end);
    Value up = make(arith::AndIOp(), isOpen, before);
    Value isDone =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, first, end);
    Value keep = make(arith::OrIOp(), isDone, before);
    Value nextFirst = arith::SelectOp::create(
        b, loc, up, make(arith::AddIOp(), middle, one), first);
    Value nextEnd = arith::SelectOp::create(b, loc, keep, end, middle);
    scf::YieldOp::create(b, loc, ValueRange{nextFirst, nextEnd});
  }
  Value count = make(arith::SubIOp(), loop.getResult(0), low);
  Value pair = make(arith::MinSIOp(), mine, other);
  Value place =
      make(arith::AddIOp(),
           make(arith::AddIOp(), pair, make(arith::SubIOp(), at, mine)), count);
  // Behind the end there is nothing.
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, size);
  place = arith::SelectOp::create(b, loc, inside, place,
                                  line.constant(b.getI64IntegerAttr(-1)));
  for (auto [key, buffer] : llvm::zip(keys, to))
    line.scatter(key, buffer, place);
  line.scatter(line.load(from.back(), line.start), to.back(), place);
  line.kernel.finish("generic.sort");
}

void Sorter::finish(const Set &from) {
  LineKernel line(ctx, op.getLoc(), ctx.kernelName + "_end", sizes, dim, -1,
                  block, /*spread=*/true);
  line.store(line.load(from.back(), line.start), out, line.start);
  line.kernel.finish("generic.sort");
}

void Sorter::run() {
  OpBuilder &h = host.builder;
  Location loc = op.getLoc();
  sizes = host.sizesOf(op.getOperands().front());
  if (sizes[dim].isStatic())
    block = std::min<int64_t>(block, llvm::PowerOf2Ceil(sizes[dim].get()));
  if (sortsByDigits(op, ctx))
    return sortByDigits(op, ctx, out);
  bool inBlocks = sortsBlocks(op, ctx);
  if (inBlocks && sizes[dim].isStatic()) {
    sorted = std::min<int64_t>(sorted, llvm::PowerOf2Ceil(sizes[dim].get()));
    if (sizes[dim].get() <= sorted)
      return sortBlocks(out);
    return mergeSort(op, ctx, out);
  }
  Set here = allocate(), there = allocate();
  if (inBlocks)
    sortBlocks(here);
  else
    prepare(here);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(h, loc, value);
  };
  int64_t first = inBlocks ? sorted : 1;
  int64_t steps = llvm::Log2_64(first) + 1;
  // Two levels at a time, so that all ends where it began.
  Value size = host.math.value(sizes[dim]);
  Type index = h.getIndexType();
  auto loop =
      scf::WhileOp::create(h, loc, TypeRange{index, index},
                           ValueRange{constant(first), constant(steps)});
  OpBuilder::InsertionGuard guard(h);
  SmallVector<Location> locs(2, loc);
  Block *test =
      h.createBlock(&loop.getBefore(), {}, TypeRange{index, index}, locs);
  Value more = arith::CmpIOp::create(h, loc, arith::CmpIPredicate::slt,
                                     test->getArgument(0), size);
  scf::ConditionOp::create(h, loc, more, test->getArguments());
  Block *body =
      h.createBlock(&loop.getAfter(), {}, TypeRange{index, index}, locs);
  {
    index::Math::Scope scope(host.math);
    Value length = body->getArgument(0), steps = body->getArgument(1);
    merge(here, there, length, steps, ctx.kernelName + "_merge");
    Value twice = arith::MulIOp::create(h, loc, length, constant(2));
    Value more = arith::AddIOp::create(h, loc, steps, constant(1));
    merge(there, here, twice, more, ctx.kernelName + "_back");
    Value next = arith::MulIOp::create(h, loc, length, constant(4));
    Value after = arith::AddIOp::create(h, loc, steps, constant(2));
    scf::YieldOp::create(h, loc, ValueRange{next, after});
  }
  h.setInsertionPointAfter(loop);
  finish(here);
}

LogicalResult kiln::schedule::scheduleSort(prim::FusionOp fusion,
                                           ScheduleContext &ctx) {
  auto op = findOnly<prim::ArgsortOp>(fusion, ctx, "sort");
  if (!op)
    return failure();
  Buffer out = ctx.host.destination(fusion.getResult(0));
  Sorter(op, ctx, out).run();
  ctx.host.setBuffer(fusion.getResult(0), out);
  return success();
}
