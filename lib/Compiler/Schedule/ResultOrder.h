//===- ResultOrder.h - How results lie in memory ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a group has its dimensions in memory in the order of its type,
// unless its kernel is faster in another one and nobody minds: what reads it
// goes by strides.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_RESULTORDER_H
#define KILN_LIB_SCHEDULE_RESULTORDER_H

#include "kiln/Schedule/Caches.h"
#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// The same of the machine that a schedule is for.
bool computesFromCaches(ScheduleContext &ctx);

/// Memory for elements with the dimensions in `order`, outermost first, as seen
/// in the order of `sizes`.
Buffer allocateInOrder(HostProgramBuilder &host, mlir::Type element,
                       llvm::ArrayRef<Extent> sizes,
                       llvm::ArrayRef<unsigned> order);

/// Whether groups that go by strides read a value, and nothing else does.
bool isReadByStrides(mlir::Value value);

/// The memory for the result of a group: with the dimensions in `order`,
/// outermost first, where every user goes by strides, else as it is asked for.
Buffer resultInOrder(Group &group, llvm::ArrayRef<unsigned> order);

/// Dimensions from the one with the greatest stride to that with the least.
llvm::SmallVector<unsigned> orderOf(const Buffer &buffer);

/// The memory for the result of a product or window: dimensions by the rank
/// of that dimension of the product's own result that they belong to.
Buffer resultByAnchor(Group &group, llvm::ArrayRef<unsigned> ranks);

/// The memory for the result of a window, which lies as its input does.
Buffer resultLikeInput(Group &group);
/// The memory for the result of a product of matrices: as it is computed where
/// windows are near and threads share tiles out.
Buffer resultForProduct(Group &group);
/// The memory for the result of other groups: as its input lies if a window is
/// what reads it.
Buffer resultForWindows(Group &group);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_RESULTORDER_H
