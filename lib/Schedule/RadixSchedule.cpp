//===- RadixSchedule.cpp - Sorts of long lines in linear time -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instance sorts whole lines, digit by digit, the last operand first. What
// is sorted goes to and fro between two runs of keys and places; the first pass
// over an operand reads its elements where they are, and the last pass of all
// writes the result.
//
//===----------------------------------------------------------------------===//

#include "RadixSort.h"
#include "SingleOp.h"
#include "SortKeys.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

class RadixSorter {
public:
  RadixSorter(prim::ArgsortOp op, ScheduleContext &ctx, const Buffer &out)
      : op(op), lines(ctx, op.getLoc(), ctx.host.sizesOf(op.getOperands()[0]),
                      op.getDim()),
        host(ctx.host), out(out), order(SortOrder::of(op)) {}

  void run();

private:
  void sortBy(Value operand, unsigned &pass);

  prim::ArgsortOp op;
  SerialLines lines;
  HostProgramBuilder &host;
  const Buffer &out;
  SortOrder order;
  Extent length;
  Line places[2]; ///< by the parity of the pass
};

} // namespace

void RadixSorter::sortBy(Value operand, unsigned &pass) {
  IntegerType type = RadixSort::keyTypeOf(getElementTypeOrSelf(operand));
  Type count = out.elementType();
  Value size = lines.kernel.index(length);
  Line source = lines.lineOf(host.buffer(operand), /*write=*/false);
  RadixSort sort(lines, type, count);
  auto keyOf = [&](Value at) {
    return sortKeys(lines.b, lines.loc, lines.load(source, at), type, order);
  };
  // The order in which things are counted does not matter.
  sort.count(size, keyOf);
  // The last pass over an operand writes no keys.
  Line keys[2];
  unsigned first = pass, digits = sort.digits();
  for (unsigned digit = 0; digit + 1 < digits && digit < 2; ++digit)
    keys[(pass + digit) % 2] = lines.scratch(type, length);
  for (unsigned digit = 0; digit < digits; ++digit, ++pass) {
    auto elementAt = [&](Value at) -> std::pair<Value, Value> {
      Value place = pass ? lines.load(places[(pass + 1) % 2], at)
                         : lines.tileOf(at, count);
      if (pass != first)
        return {lines.load(keys[(pass + 1) % 2], at), place};
      return {keyOf(pass ? lines.place(place) : at), place};
    };
    sort.distribute(digit, size, elementAt,
                    [&](Value key, Value place, Value to) {
                      if (digit + 1 < digits)
                        lines.store(key, keys[pass % 2], to);
                      lines.store(place, places[pass % 2], to);
                    });
  }
}

void RadixSorter::run() {
  length = host.sizesOf(op.getOperands()[0])[op.getDim()];
  unsigned passes = 0;
  for (Value operand : op.getOperands())
    passes += RadixSort::digitsOf(
        RadixSort::keyTypeOf(getElementTypeOrSelf(operand)));
  // The result is one of the two.
  for (unsigned parity = 0; parity < 2; ++parity) {
    bool isLast = (passes - 1) % 2 == parity;
    if (isLast)
      places[parity] = lines.lineOf(out, /*write=*/true);
    else if (passes > 1)
      places[parity] = lines.scratch(out.elementType(), length);
  }
  unsigned pass = 0;
  for (Value operand : llvm::reverse(op.getOperands()))
    sortBy(operand, pass);
  lines.finish("generic.radix_sort");
}

LogicalResult
kiln::schedule::scheduleRadixSort(Operation *group,
                                  target::LoweringContext &context) {
  auto [ctx, fusion, single] =
      findSingleOp<prim::ArgsortOp>(group, context, "sort");
  if (!ctx)
    return failure();
  if (ctx->tiling.model().sharesTiles())
    return ctx->decline(group, "an instance of the machine is not one thread");
  auto op = cast<prim::ArgsortOp>(single);
  constexpr int64_t kShortLine = 128;
  Extent length = ctx->host.sizesOf(op.getOperands()[0])[op.getDim()];
  if (length.isStatic() && length.get() <= kShortLine)
    return ctx->decline(group, "lines are short");
  Buffer out = ctx->host.destination(fusion.getResult(0));
  RadixSorter(op, *ctx, out).run();
  ctx->host.setBuffer(fusion.getResult(0), out);
  return success();
}
