//===- Simulate.cpp - What plans do, without a machine --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Simulate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace kiln::layout;

using NamedPlace = SmallVector<std::pair<StringRef, int64_t>>;

static void swapValues(ArrayRef<ShufflePlan::Swap> swaps,
                       LinearLayout::Place place, LaneValues &values) {
  for (const ShufflePlan::Swap &swap : swaps) {
    if (!swap.when.holds(place))
      continue;
    LaneValues before = values;
    for (auto [i, value] : enumerate(values))
      value = before[i ^ swap.distance];
  }
}

SmallVector<LaneValues> kiln::layout::execute(const ShufflePlan &plan,
                                              Levels levels,
                                              ArrayRef<LaneValues> values,
                                              LinearLayout::Place others) {
  auto placeOf = [&](int64_t lane) {
    NamedPlace place(others);
    place.emplace_back(levels[1], lane);
    return place;
  };
  SmallVector<LaneValues> sent;
  for (auto [lane, own] : enumerate(values)) {
    LaneValues swapped = own;
    swapValues(plan.before, placeOf(lane), swapped);
    LaneValues &chosen = sent.emplace_back();
    for (unsigned value : plan.gather)
      chosen.push_back(swapped[value]);
  }
  SmallVector<LaneValues> results;
  for (int64_t lane = 0; lane < int64_t(values.size()); ++lane) {
    LaneValues arrived;
    for (unsigned value = 0; value < plan.getNumValues(); ++value) {
      NamedPlace place = placeOf(lane);
      place.emplace_back(ShufflePlan::kValue, value);
      int64_t source = plan.isIndexed ? plan.source.apply(place)[0]
                                      : lane ^ plan.getLaneXor(value);
      arrived.push_back(sent[source][value]);
    }
    swapValues(plan.after, placeOf(lane), arrived);
    LaneValues &result = results.emplace_back();
    for (unsigned value : plan.results)
      result.push_back(arrived[value]);
  }
  return results;
}

/// Lanes that are served together, by the bits of their numbers that tell
/// groups apart.
static std::map<uint64_t, SmallVector<int64_t>>
getGroups(ArrayRef<int64_t> addresses, unsigned bytes, const Banks &banks) {
  uint64_t active = banks.getActiveLanes(bytes, Log2_64_Ceil(addresses.size()));
  std::map<uint64_t, SmallVector<int64_t>> groups;
  for (auto [lane, address] : enumerate(addresses))
    if (address >= 0)
      groups[lane & ~active].push_back(address);
  return groups;
}

unsigned kiln::layout::countWavefronts(ArrayRef<int64_t> addresses,
                                       unsigned bytes, const Banks &banks) {
  unsigned wavefronts = 0;
  for (const auto &[key, group] : getGroups(addresses, bytes, banks)) {
    SmallVector<int64_t> words;
    for (int64_t address : group)
      for (int64_t word = address / banks.bytes;
           word <= (address + bytes - 1) / banks.bytes; ++word)
        words.push_back(word);
    sort(words);
    words.erase(llvm::unique(words), words.end());
    SmallVector<unsigned> ofBank(banks.count, 0);
    unsigned most = 0;
    for (int64_t word : words)
      most = std::max(most, ++ofBank[word % banks.count]);
    wavefronts += most;
  }
  return wavefronts;
}

unsigned kiln::layout::countLeastWavefronts(ArrayRef<int64_t> addresses,
                                            unsigned bytes,
                                            const Banks &banks) {
  return getGroups(addresses, bytes, banks).size();
}
