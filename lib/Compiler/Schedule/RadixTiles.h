//===- RadixTiles.h - Long lines sorted digit by digit ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machines whose threads share tiles sort a long line by one digit of its keys
// after the other, the least one first (Satish, Harris and Garland, 2009).
// There are three kernels for each digit. The first counts the digits of each
// block. The second adds up, for each digit, the counts of the blocks before.
// The third sorts each block by the digit, as one tile, and writes its elements
// to where they belong: those of one digit go side by side. Equal digits keep
// their order.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_RADIXTILES_H
#define KILN_LIB_SCHEDULE_RADIXTILES_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Whether a sort by digits takes less time than one by merges: there is one
/// key, and the lines are long for its number of digits.
bool sortsByDigits(prim::ArgsortOp op, ScheduleContext &ctx);

/// Writes the permutation that sorts lines of a known size to `out`.
void sortByDigits(prim::ArgsortOp op, ScheduleContext &ctx, const Buffer &out);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_RADIXTILES_H
