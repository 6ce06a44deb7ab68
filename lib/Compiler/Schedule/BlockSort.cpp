//===- BlockSort.cpp - Blocks of a line sorted as one tile ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockSort.h"
#include "BlockThreads.h"
#include "SortKeys.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

static constexpr unsigned kKeyBits = 32;

int64_t kiln::schedule::sortedBlockOf(const ScheduleContext &ctx) {
  constexpr int64_t kElements = 8;
  return kElements * countBlockThreads(ctx.description);
}

bool kiln::schedule::sortsBlocks(prim::ArgsortOp op, ScheduleContext &ctx) {
  // Places have 32 bits, too.
  auto type = cast<RankedTensorType>(op.getOperands().front().getType());
  if (type.getDimSize(op.getDim()) > std::numeric_limits<uint32_t>::max())
    return false;
  return ctx.tiling.model().sharesTiles() && op.getOperands().size() == 1 &&
         type.getElementTypeBitWidth() <= kKeyBits;
}

static Value shiftBy(LineKernel &line) {
  return line.constant(line.b.getI64IntegerAttr(kKeyBits));
}

/// The place in the line of each element of a block.
static Value ownPlaces(LineKernel &line) {
  Type i64 = line.b.getI64Type();
  return arith::AddIOp::create(line.b, line.loc, line.splat(line.start, i64),
                               line.steps(i64));
}

Value kiln::schedule::pairsOf(LineKernel &line, prim::ArgsortOp op,
                              const Buffer &operand) {
  OpBuilder &b = line.b;
  Value keys = sortKeys(b, line.loc, line.load(operand, line.start),
                        b.getIntegerType(kKeyBits), SortOrder::of(op));
  Value wide =
      arith::ExtSIOp::create(b, line.loc, line.tileType(b.getI64Type()), keys);
  return arith::OrIOp::create(
      b, line.loc, arith::ShLIOp::create(b, line.loc, wide, shiftBy(line)),
      ownPlaces(line));
}

Value kiln::schedule::sortPairs(LineKernel &line, Value pairs, Extent length) {
  OpBuilder &b = line.b;
  Location loc = line.loc;
  Value isThere = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::slt, ownPlaces(line),
      line.splat(line.kernel.index(length), b.getI64Type()));
  Value last =
      line.constant(b.getI64IntegerAttr(std::numeric_limits<int64_t>::max()));
  pairs = arith::SelectOp::create(b, loc, isThere, pairs, last);
  return tile::SortOp::create(b, loc, pairs.getType(), pairs, uint64_t(0),
                              /*descending=*/false);
}

Value kiln::schedule::keysOf(LineKernel &line, Value pairs) {
  return arith::TruncIOp::create(
      line.b, line.loc, line.tileType(line.b.getIntegerType(kKeyBits)),
      arith::ShRSIOp::create(line.b, line.loc, pairs, shiftBy(line)));
}

Value kiln::schedule::placesOf(LineKernel &line, Value pairs, Type type) {
  OpBuilder &b = line.b;
  constexpr int64_t kLow = std::numeric_limits<uint32_t>::max();
  Value places = arith::AndIOp::create(
      b, line.loc, pairs, line.constant(b.getI64IntegerAttr(kLow)));
  if (type.isInteger(64))
    return places;
  return arith::TruncIOp::create(b, line.loc, line.tileType(type), places);
}

namespace {

/// One round of a selection.
class Round {
public:
  Round(prim::ArgsortOp op, int64_t limit, int64_t length, ScheduleContext &ctx)
      : op(op), limit(limit), length(length), ctx(ctx),
        most(sortedBlockOf(ctx)),
        sizes(ctx.host.sizesOf(op.getOperands().front())) {
    sizes[op.getDim()] = length;
  }

  /// What is left behind it; the last round writes the result.
  int64_t left() const { return llvm::divideCeil(length, most) * limit; }
  bool isLast() const { return length <= most; }
  /// `pairs`: of the round before; null: the first one reads the operand.
  Buffer run(const Buffer *pairs, const Buffer &out, StringRef name);

private:
  prim::ArgsortOp op;
  int64_t limit, length;
  ScheduleContext &ctx;
  int64_t most; ///< elements of a block
  SmallVector<Extent> sizes;
};

} // namespace

Buffer Round::run(const Buffer *pairs, const Buffer &out, StringRef name) {
  Buffer to = out;
  if (!isLast()) {
    SmallVector<Extent> kept(sizes);
    kept[op.getDim()] = left();
    to = ctx.host.allocate(IntegerType::get(op.getContext(), 64), kept);
  }
  LineKernel line(ctx, op.getLoc(), name, sizes, op.getDim(), -1,
                  std::min<int64_t>(most, llvm::PowerOf2Ceil(length)),
                  /*spread=*/true);
  OpBuilder &b = line.b;
  Value all =
      pairs ? line.load(*pairs, line.start)
            : pairsOf(line, op, ctx.host.buffer(op.getOperands().front()));
  Value best = sortPairs(line, all, length);
  if (isLast()) {
    line.store(placesOf(line, best, out.elementType()), out,
               line.kernel.constant(0));
  } else {
    // The first ones of block n come to n * limit.
    Type i64 = b.getI64Type();
    Value steps = line.steps(i64);
    Value number = arith::DivSIOp::create(b, line.loc, line.start,
                                          line.kernel.constant(line.block));
    Value begin =
        line.splat(line.kernel.mul(number, line.kernel.constant(limit)), i64);
    Value isKept =
        arith::CmpIOp::create(b, line.loc, arith::CmpIPredicate::slt, steps,
                              line.constant(b.getI64IntegerAttr(limit)));
    Value place = arith::SelectOp::create(
        b, line.loc, isKept, arith::AddIOp::create(b, line.loc, begin, steps),
        line.constant(b.getI64IntegerAttr(-1)));
    line.scatter(best, to, place);
  }
  line.kernel.finish("generic.select");
  return to;
}

void kiln::schedule::selectInRounds(prim::ArgsortOp op, int64_t limit,
                                    int64_t length, ScheduleContext &ctx,
                                    const Buffer &out) {
  Buffer kept;
  for (int64_t number = 0;; ++number) {
    Round round(op, limit, length, ctx);
    std::string name = number ? (ctx.kernelName + "_" + Twine(number)).str()
                              : std::string(ctx.kernelName);
    kept = round.run(number ? &kept : nullptr, out, name);
    if (round.isLast())
      return;
    length = round.left();
  }
}
