//===- ShuffleCost.cpp - What a shuffle plan takes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Conversion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace kiln::layout;

bool ShufflePlan::Condition::holds(LinearLayout::Place place) const {
  unsigned parity = 0;
  for (const auto &[level, mask] : masks)
    for (const auto &[name, number] : place)
      if (name == level)
        parity ^= popcount(uint64_t(number & mask)) & 1;
  return parity;
}

int64_t ShufflePlan::getLaneXor(unsigned value) const {
  return source.apply({{kValue, value}})[0];
}

/// Values that swaps need for those that are used, and the selects that they
/// take. Marks in `used` what is used before them.
static unsigned countSelects(ArrayRef<ShufflePlan::Swap> swaps,
                             SmallVectorImpl<bool> &used) {
  unsigned selects = 0;
  for (const ShufflePlan::Swap &swap : reverse(swaps)) {
    SmallVector<bool> before(used.begin(), used.end());
    for (auto [i, isUsed] : enumerate(used))
      if (isUsed) {
        before[i ^ swap.distance] = true;
        ++selects;
      }
    used.assign(before.begin(), before.end());
  }
  return selects;
}

ShuffleCount kiln::layout::countShuffles(const ShufflePlan &plan,
                                         unsigned elementBits,
                                         unsigned wordBits) {
  ShuffleCount count;
  unsigned words = divideCeil(elementBits, wordBits);
  SmallVector<bool> arrived(plan.getNumValues(), false);
  for (unsigned value : plan.results)
    arrived[value] = true;
  count.selects = countSelects(plan.after, arrived) * words;
  SmallVector<bool> sent(plan.numSources, false);
  // Values that travel together are counted with the first of them.
  unsigned alike = 1u << plan.numAlikeBits;
  unsigned perWord = std::max(1u, wordBits / elementBits);
  for (unsigned first = 0; first < plan.getNumValues(); first += alike) {
    unsigned travelling = 0;
    for (unsigned value = first; value < first + alike; ++value) {
      if (!arrived[value])
        continue;
      sent[plan.gather[value]] = true;
      travelling += plan.isShuffled(value);
    }
    unsigned shuffles = divideCeil(travelling, perWord) * words;
    count.shuffles += shuffles;
    if (shuffles)
      count.distances.emplace_back(plan.isIndexed ? 0 : plan.getLaneXor(first),
                                   shuffles);
    if (perWord > 1 && travelling > 1)
      count.packs += 2 * travelling;
  }
  count.selects += countSelects(plan.before, sent) * words;
  return count;
}

double ShuffleCount::getCost(const ConversionCosts &costs) const {
  double cost = selects * costs.select + packs * costs.pack;
  for (const auto &[distance, number] : distances)
    cost += number * (distance ? costs.getShuffle(distance) : costs.indexed);
  return cost;
}

double kiln::layout::getMemoryCost(unsigned wavefronts, unsigned rounds,
                                   const ConversionCosts &costs) {
  return wavefronts * costs.wavefront + 2 * rounds * costs.barrier;
}
