//===- ThreadNumbers.cpp - Threads with values of their own ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadNumbers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

ThreadNumbers::ThreadNumbers(unsigned bits,
                             function_ref<bool(unsigned)> isLeftOut) {
  for (unsigned bit = 0; bit < bits;) {
    unsigned end = bit;
    while (end < bits && !isLeftOut(end))
      ++end;
    if (int64_t mask = (int64_t(1) << (end - bit)) - 1) {
      runs.push_back({bit, mask, numbers});
      numbers *= mask + 1;
    }
    if (end < bits)
      leftOut.push_back(end);
    bit = end + 1;
  }
}

Value ThreadNumbers::ofThread(ThreadCoordinates &w) const {
  Value number = w.c32(0);
  for (const Run &run : runs) {
    Value part = w.and_(
        w.b.createOrFold<arith::ShRUIOp>(w.loc, w.threadId(), w.c32(run.bit)),
        w.c32(run.mask));
    number = w.add(number, w.mul(part, w.c32(run.stride)));
  }
  return number;
}

Value ThreadNumbers::isFirst(ThreadCoordinates &w,
                             function_ref<bool(unsigned)> tellsApart) const {
  int64_t mask = 0;
  for (unsigned bit : leftOut)
    if (!tellsApart(bit))
      mask |= int64_t(1) << bit;
  if (!mask)
    return {};
  return w.compare(arith::CmpIPredicate::eq, w.and_(w.threadId(), w.c32(mask)),
                   w.c32(0));
}

bool simt::isCopyBit(LayoutAttr layout, unsigned bit, unsigned laneBits,
                     unsigned warpBits) {
  LayoutAttr::Basis basis = bit < laneBits
                                ? layout.getLaneBases(laneBits)[bit]
                                : layout.getWarpBases(warpBits)[bit - laneBits];
  return llvm::all_of(basis, [](int64_t n) { return n == 0; });
}
