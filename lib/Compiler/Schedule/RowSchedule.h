//===- RowSchedule.h - Groups with several results of rows ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_ROWSCHEDULE_H
#define KILN_LIB_SCHEDULE_ROWSCHEDULE_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Registered as the schedule `generic.rows`: one kernel whose instances hold
/// whole rows and compute all results of them.
mlir::LogicalResult scheduleRows(prim::FusionOp group, ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ROWSCHEDULE_H
