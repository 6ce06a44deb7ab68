//===- MergeSort.h - Long lines sorted by merges of blocks ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machines whose threads share tiles sort blocks of a line first, see
// BlockSort.h, then merge sorted runs (merge path: Odeh, Green, Mwassi,
// Shmueli and Birk, 2012). An instance makes one block of the merged run. It
// finds by a search which elements of both runs these are, loads them as one
// tile, and orders the tile by the last steps of a bitonic network. All
// accesses but those of the search are of neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_MERGESORT_H
#define KILN_LIB_SCHEDULE_MERGESORT_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Writes the permutation that sorts lines of a known size, more than one
/// block, to `out`. The order has to be one that sortsBlocks() takes.
void mergeSort(prim::ArgsortOp op, ScheduleContext &ctx, const Buffer &out);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_MERGESORT_H
