//===- RankSelect.h - Elements of an order by their ranks -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machines whose threads share tiles find the element of a rank without a sort:
// bit by bit from the highest one, they count how many keys of the line are
// less than the key found so far with this bit set.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_RANKSELECT_H
#define KILN_LIB_SCHEDULE_RANKSELECT_H

#include "LineKernel.h"

namespace kiln::schedule {

/// Where the ranks are: from `first` on if there is no `list`, otherwise in it,
/// integers of the shape of the result.
struct Ranks {
  int64_t first = 0;
  std::optional<Buffer> list;
  int64_t count = 0; ///< for each line
};

/// Why an order had better be sorted as a whole; empty if not. The order has
/// one key of up to 32 bits.
std::string whyNoRanks(prim::ArgsortOp op, const Ranks &ranks,
                       ScheduleContext &ctx);

/// Writes the places of the elements of these ranks to `out`.
void selectRanks(prim::ArgsortOp op, const Ranks &ranks, ScheduleContext &ctx,
                 const Buffer &out);

/// Writes the first `limit` places of an order: collects the elements up to
/// this rank, in one kernel, and sorts them in another.
void selectMany(prim::ArgsortOp op, int64_t limit, ScheduleContext &ctx,
                const Buffer &out);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_RANKSELECT_H
