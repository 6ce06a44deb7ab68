//===- OnlineSum.h - A largest element and a sum in one pass ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The online softmax: sum(exp(x - max(x))) together with max(x), where
// elements are read once. What is summed so far is scaled whenever a larger
// element comes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_ONLINESUM_H
#define KILN_LIB_SCHEDULE_ONLINESUM_H

#include "kiln/Schedule/TileBuilder.h"

namespace kiln::schedule {

/// The sum of a group that adds up exp(x - max) over the dimensions that
/// `max` = max(x) is reduced over; null if there is none. Of f32 alone.
mlir::Operation *onlineSumOf(mlir::Operation *max,
                             GroupPlan::InGroupFn inGroup);

/// Emits both for the blocks of the kernel, and reduces them along the `axes`
/// of tiles: the largest elements and the sums. Returns nothing and sets
/// `reason` on failure.
llvm::SmallVector<mlir::Value> emitOnlineSum(TileBuilder &emitter,
                                             const ReductionVisit &max,
                                             llvm::ArrayRef<int> axes);

/// Combines pairs, largest elements and sums, along the axes of their tiles.
llvm::SmallVector<mlir::Value> reduceOnlineSum(TileBuilder &emitter,
                                               mlir::ValueRange pairs,
                                               llvm::ArrayRef<int> axes);

/// The sum as the program defines it: NaN if the largest element is infinite,
/// because x - max is NaN there.
mlir::Value finishOnlineSum(TileBuilder &emitter, mlir::ValueRange pair);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ONLINESUM_H
