//===- UnrolledWindow.h - Windows as one expression -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_UNROLLEDWINDOW_H
#define KILN_LIB_SCHEDULE_UNROLLEDWINDOW_H

#include "WindowInput.h"

namespace kiln::schedule {

/// Registered as `generic.unrolled_window`: depthwise convolutions and poolings
/// of small windows. All positions of the window are one expression of
/// elements, which nothing but its result goes to memory from; they are read
/// from a copy of the input with padding around it where there is padding.
mlir::LogicalResult scheduleUnrolledWindow(prim::FusionOp group,
                                           ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_UNROLLEDWINDOW_H
