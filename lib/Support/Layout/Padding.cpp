//===- Padding.cpp - Rows set apart ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Shared.h"
#include "kiln/Layout/Simulate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace kiln::layout;

namespace {
/// An access with what does not depend on the padding computed once.
struct Access {
  unsigned bytes;
  SmallVector<int64_t> ofVector, ofLane; ///< offsets, to be combined by XOR

  Access(const SharedAccess &access, Levels levels, unsigned elementBits)
      : bytes(std::max(1u, (elementBits << access.vectorBits) / 8)) {
    unsigned registers = 1u << (access.order.size() - access.copyBits);
    for (unsigned i = 0; i < registers; i += 1u << access.vectorBits)
      ofVector.push_back(access.offsets.apply({{levels[0], i}})[0]);
    for (int64_t i = 0; i < access.offsets.getInputSize(levels[1]); ++i)
      ofLane.push_back(access.offsets.apply({{levels[1], i}})[0]);
  }

  /// Wavefronts of all vectors of one warp.
  unsigned simulate(const Padding &padding, unsigned elementBits,
                    const Banks &banks) const {
    unsigned wavefronts = 0;
    SmallVector<int64_t> addresses(ofLane.size());
    for (int64_t vector : ofVector) {
      for (auto [address, lane] : zip_equal(addresses, ofLane))
        address = padding.apply(vector ^ lane) * elementBits / 8;
      wavefronts += countWavefronts(addresses, bytes, banks);
    }
    return wavefronts;
  }
};
} // namespace

Padding kiln::layout::choosePadding(ArrayRef<LinearLayout> layouts,
                                    const LinearLayout &memory, Levels levels,
                                    unsigned elementBits, const Banks &banks) {
  SmallVector<Access, 2> accesses;
  unsigned vectorBits = 0;
  for (const LinearLayout &layout : layouts) {
    SharedAccess access =
        *getSharedAccess(layout, memory, levels, elementBits, banks);
    accesses.emplace_back(access, levels, elementBits);
    vectorBits = std::max(vectorBits, access.vectorBits);
  }
  auto count = [&](const Padding &padding) {
    unsigned wavefronts = 0;
    for (const Access &access : accesses)
      wavefronts += access.simulate(padding, elementBits, banks);
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
