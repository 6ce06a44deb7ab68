//===- RadixSort.cpp - Runs of integers, sorted digit by digit ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RadixSort.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

static constexpr int64_t kBins = 1 << RadixSort::kDigitBits;

IntegerType RadixSort::keyTypeOf(Type element) {
  uint64_t width = llvm::PowerOf2Ceil(element.getIntOrFloatBitWidth());
  return IntegerType::get(element.getContext(),
                          std::max<uint64_t>(width, kDigitBits));
}

RadixSort::RadixSort(SerialLines &lines, IntegerType key, Type count)
    : lines(lines), key(key), countType(count),
      bins(lines.scratch(count, kBins * digitsOf(key))) {}

Value RadixSort::binOf(Value tile, unsigned digit, unsigned at) {
  OpBuilder &b = lines.b;
  Location loc = lines.loc;
  auto type = cast<IntegerType>(getElementTypeOrSelf(tile));
  unsigned width = type.getWidth();
  if (at)
    tile = arith::ShRUIOp::create(
        b, loc, tile, lines.constant(type, APInt(width, at * kDigitBits)));
  if (width > kDigitBits)
    tile = arith::AndIOp::create(b, loc, tile,
                                 lines.constant(type, APInt(width, kBins - 1)));
  // Of signed numbers the negative ones come first.
  if (digit + 1 == digits())
    tile = arith::XOrIOp::create(b, loc, tile,
                                 lines.constant(type, APInt(width, kBins / 2)));
  return lines.kernel.add(lines.place(tile),
                          lines.kernel.constant(digit * kBins));
}

void RadixSort::count(Value size, KeyAt keyAt) {
  OpBuilder &b = lines.b;
  Location loc = lines.loc;
  Value zero = lines.kernel.constant(0), end = lines.kernel.constant(kBins);
  auto none = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get({kBins}, countType),
                             APInt(countType.getIntOrFloatBitWidth(), 0)));
  for (unsigned digit = 0; digit < digits(); ++digit)
    lines.store(none, bins, lines.kernel.constant(digit * kBins));
  unsigned width = countType.getIntOrFloatBitWidth();
  lines.loop(zero, size, [&](Value at) {
    Value one = lines.constant(countType, APInt(width, 1));
    Value tile = keyAt(at);
    for (unsigned digit = 0; digit < digits(); ++digit) {
      Value bin = binOf(tile, digit, digit);
      lines.store(arith::AddIOp::create(b, loc, lines.load(bins, bin), one),
                  bins, bin);
    }
  });
  // Where the first of each digit goes.
  for (unsigned digit = 0; digit < digits(); ++digit) {
    Value first = lines.scalar(lines.constant(countType, APInt(width, 0)));
    lines.loop(zero, end, 1, first, [&](Value at, ValueRange sum) {
      Value bin = lines.kernel.add(at, lines.kernel.constant(digit * kBins));
      Value many = lines.scalar(lines.load(bins, bin));
      lines.store(lines.tileOf(sum[0]), bins, bin);
      return SmallVector<Value>{
          arith::AddIOp::create(b, loc, sum[0], many).getResult()};
    });
  }
}

void RadixSort::distribute(unsigned digit, unsigned lowest, Value size,
                           ElementAt elementAt, Put put) {
  unsigned width = countType.getIntOrFloatBitWidth();
  lines.loop(lines.kernel.constant(0), size, [&](Value at) {
    auto [tile, place] = elementAt(at);
    Value bin = binOf(tile, digit, digit - lowest);
    Value to = lines.load(bins, bin);
    Value next = arith::AddIOp::create(
        lines.b, lines.loc, to, lines.constant(countType, APInt(width, 1)));
    lines.store(next, bins, bin);
    put(tile, place, lines.place(to));
  });
}
