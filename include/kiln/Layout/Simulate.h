//===- Simulate.h - What plans do, without a machine ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes plans on numbers and counts what accesses to banked memory take. For
// tests, and for choices that are cheaper to try than to derive.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LAYOUT_SIMULATE_H
#define KILN_LAYOUT_SIMULATE_H

#include "kiln/Layout/Conversion.h"
#include "kiln/Layout/Shared.h"

namespace kiln::layout {

/// The values of one lane.
using LaneValues = llvm::SmallVector<uint64_t>;

/// What every lane has after a plan, from what each has before it: as many
/// lanes as the level has, each with `numSources` values. `others` numbers the
/// levels further out.
llvm::SmallVector<LaneValues> execute(const ShufflePlan &plan, Levels levels,
                                      llvm::ArrayRef<LaneValues> values,
                                      LinearLayout::Place others = {});

/// How many times the banks are accessed while every lane reads or writes
/// `bytes` consecutive bytes at its address (in bytes): lanes are served in
/// groups (`Banks::getActiveLanes`), and a group again for every further word
/// of one bank. Lanes of address -1 take no part.
unsigned countWavefronts(llvm::ArrayRef<int64_t> addresses, unsigned bytes,
                         const Banks &banks);

/// The same if no lane had to wait for another of its group.
unsigned countLeastWavefronts(llvm::ArrayRef<int64_t> addresses, unsigned bytes,
                              const Banks &banks);

} // namespace kiln::layout

#endif // KILN_LAYOUT_SIMULATE_H
