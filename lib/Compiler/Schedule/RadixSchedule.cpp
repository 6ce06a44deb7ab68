//===- RadixSchedule.cpp - Sorts of long lines in linear time -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instance sorts whole lines, digit by digit, the last operand first.
// Places go to and fro between two runs, one of which is the result. Of keys no
// more than half of the digits are kept, those that are still to come: what
// there is beside operand and result stays below them in size. The digits are
// in two groups; the first pass of each reads the elements of the operand.
//
//===----------------------------------------------------------------------===//

#include "RadixSort.h"
#include "SingleOp.h"
#include "SortKeys.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// The digits of a key that are sorted by without reading it again. The second
/// group begins so that half of all digits come after its first.
struct DigitGroup {
  unsigned begin, end;

  DigitGroup(unsigned digit, unsigned digits) {
    unsigned second = digits - digits / 2 - 1;
    begin = digit < second ? 0 : second;
    end = digit < second ? second : digits;
  }
};

class RadixSorter {
public:
  RadixSorter(prim::ArgsortOp op, ScheduleContext &ctx, const Buffer &out)
      : op(op), lines(ctx, op.getLoc(), ctx.host.sizesOf(op.getOperands()[0]),
                      op.getDim()),
        host(ctx.host), out(out), order(SortOrder::of(op)) {}

  void run();

private:
  void sortBy(Value operand, unsigned &pass);
  void findKeyTypes();
  Value withoutDigits(Value key, unsigned count, IntegerType type);

  prim::ArgsortOp op;
  SerialLines lines;
  HostProgramBuilder &host;
  const Buffer &out;
  SortOrder order;
  Extent length;
  /// By the parity of the pass.
  Line places[2], keys[2];
  IntegerType keyTypes[2]; ///< null: that pass keeps none
};

} // namespace

/// What is kept of keys, at most, behind even and odd passes.
void RadixSorter::findKeyTypes() {
  unsigned pass = 0, bits[2] = {0, 0};
  for (Value operand : llvm::reverse(op.getOperands())) {
    unsigned digits = RadixSort::digitsOf(
        RadixSort::keyTypeOf(getElementTypeOrSelf(operand)));
    for (unsigned digit = 0; digit < digits; ++digit, ++pass) {
      unsigned left = DigitGroup(digit, digits).end - digit - 1;
      bits[pass % 2] = std::max(bits[pass % 2], left * RadixSort::kDigitBits);
    }
  }
  for (unsigned parity = 0; parity < 2; ++parity)
    if (bits[parity])
      keyTypes[parity] =
          IntegerType::get(op.getContext(), llvm::PowerOf2Ceil(bits[parity]));
}

/// The digits of a key above `count`, as another type.
Value RadixSorter::withoutDigits(Value key, unsigned count, IntegerType type) {
  OpBuilder &b = lines.b;
  Location loc = lines.loc;
  auto from = cast<IntegerType>(getElementTypeOrSelf(key));
  key = arith::ShRUIOp::create(
      b, loc, key,
      lines.constant(from,
                     APInt(from.getWidth(), count * RadixSort::kDigitBits)));
  auto to = RankedTensorType::get({1}, type);
  if (type.getWidth() < from.getWidth())
    return arith::TruncIOp::create(b, loc, to, key);
  if (type.getWidth() > from.getWidth())
    return arith::ExtUIOp::create(b, loc, to, key);
  return key;
}

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
  for (unsigned digit = 0; digit < sort.digits(); ++digit, ++pass) {
    DigitGroup group(digit, sort.digits());
    bool isFirst = digit == group.begin, isLast = digit + 1 == group.end;
    auto elementAt = [&](Value at) -> std::pair<Value, Value> {
      Value place = pass ? lines.load(places[(pass + 1) % 2], at)
                         : lines.tileOf(at, count);
      if (!isFirst)
        return {lines.load(keys[(pass + 1) % 2], at), place};
      return {keyOf(pass ? lines.place(place) : at), place};
    };
    // Kept keys have lost the digits that they were sorted by.
    unsigned lowest = isFirst ? 0 : digit;
    sort.distribute(digit, lowest, size, elementAt,
                    [&](Value key, Value place, Value to) {
                      if (!isLast)
                        lines.store(withoutDigits(key, digit + 1 - lowest,
                                                  keyTypes[pass % 2]),
                                    keys[pass % 2], to);
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
  findKeyTypes();
  for (unsigned parity = 0; parity < 2; ++parity)
    if (keyTypes[parity])
      keys[parity] = lines.scratch(keyTypes[parity], length);
  unsigned pass = 0;
  for (Value operand : llvm::reverse(op.getOperands()))
    sortBy(operand, pass);
  lines.finish("generic.radix_sort");
}

LogicalResult kiln::schedule::scheduleRadixSort(prim::FusionOp fusion,
                                                ScheduleContext &ctx) {
  auto op = findOnly<prim::ArgsortOp>(fusion, ctx, "sort");
  if (!op)
    return failure();
  if (ctx.tiling.model().sharesTiles())
    return ctx.decline(fusion, "an instance of the machine is not one thread");
  constexpr int64_t kShortLine = 128;
  Extent length = ctx.host.sizesOf(op.getOperands()[0])[op.getDim()];
  if (length.isStatic() && length.get() <= kShortLine)
    return ctx.decline(fusion, "lines are short");
  Buffer out = ctx.host.destination(fusion.getResult(0));
  RadixSorter(op, ctx, out).run();
  ctx.host.setBuffer(fusion.getResult(0), out);
  return success();
}
