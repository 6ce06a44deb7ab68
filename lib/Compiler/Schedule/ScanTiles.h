//===- ScanTiles.h - Scans by instances that share tiles --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SCANTILES_H
#define KILN_LIB_SCHEDULE_SCANTILES_H

#include "ScanCombiner.h"

namespace kiln::schedule {

/// Emits a scan from one buffer to another for machines whose threads share
/// tiles: an instance scans tiles, one behind the other along the dimension.
/// If these are few instances for the work, several share the dimension: a
/// kernel before the scan combines each part of the dimension but the last.
void scanTiles(prim::ScanOp op, ScheduleContext &ctx, const Buffer &in,
               const Buffer &out, ScanCombiner combine);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SCANTILES_H
