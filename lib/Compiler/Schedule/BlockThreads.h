//===- BlockThreads.h - How many threads share a tile -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_BLOCKTHREADS_H
#define KILN_LIB_SCHEDULE_BLOCKTHREADS_H

#include "kiln/Dialect/Kiln/Description.h"

namespace kiln::schedule {

/// Returns how many threads of a machine run in step: the lanes of a warp.
int64_t countLanes(target::TargetAttr description);

/// Returns how many threads a block has at most, a power of two.
int64_t mostBlockThreads(target::TargetAttr description);

/// Returns how many threads a block usually has: four groups of threads that
/// run in step, or as many as the machine has room for in a block.
int64_t countBlockThreads(target::TargetAttr description);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_BLOCKTHREADS_H
