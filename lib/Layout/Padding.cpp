//===- Padding.cpp - Rows set apart ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Shared.h"
#include "kiln/Layout/Simulate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace kiln::layout;

/// Wavefronts of all vectors of one warp.
static unsigned simulate(const SharedAccess &access, const Padding &padding,
                         Levels levels, unsigned elementBits,
                         const Banks &banks) {
  unsigned registers = 1u << (access.order.size() - access.copyBits);
  unsigned bytes = std::max(1u, (elementBits << access.vectorBits) / 8);
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < registers;
       first += 1u << access.vectorBits) {
    SmallVector<int64_t> addresses;
    for (int64_t lane = 0; lane < access.offsets.getInputSize(levels[1]);
         ++lane) {
      int64_t offset =
          access.offsets.apply({{levels[0], first}, {levels[1], lane}})[0];
      addresses.push_back(padding.apply(offset) * elementBits / 8);
    }
    wavefronts += countWavefronts(addresses, bytes, banks);
  }
  return wavefronts;
}

Padding kiln::layout::choosePadding(ArrayRef<LinearLayout> layouts,
                                    const LinearLayout &memory, Levels levels,
                                    unsigned elementBits, const Banks &banks) {
  SmallVector<SharedAccess, 2> accesses;
  unsigned vectorBits = 0;
  for (const LinearLayout &layout : layouts) {
    accesses.push_back(
        *getSharedAccess(layout, memory, levels, elementBits, banks));
    vectorBits = std::max(vectorBits, accesses.back().vectorBits);
  }
  auto count = [&](const Padding &padding) {
    unsigned wavefronts = 0;
    for (const SharedAccess &access : accesses)
      wavefronts += simulate(access, padding, levels, elementBits, banks);
    return wavefronts;
  };
  // Vectors stay aligned and whole: amounts are whole ones, as are intervals,
  // and no smaller than a word.
  int64_t unit = std::max<int64_t>(int64_t(1) << vectorBits,
                                   banks.bytes * 8 / elementBits);
  int64_t size = memory.getInputSize(kOffset);
  Padding best;
  unsigned bestCount = count(best);
  int64_t bestSize = size;
  for (int64_t interval = unit; interval < size; interval *= 2)
    for (int64_t amount = unit;
         amount * elementBits < int64_t(banks.count) * banks.bytes * 8;
         amount *= 2) {
      Padding padding{interval, amount};
      int64_t needed = padding.apply(size - 1) + 1;
      unsigned wavefronts = count(padding);
      if (std::make_pair(wavefronts, needed) <
          std::make_pair(bestCount, bestSize)) {
        best = padding;
        bestCount = wavefronts;
        bestSize = needed;
      }
    }
  return best;
}
