//===- MatrixSchedule.h - Small matrices as kernels -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_LIB_SCHEDULE_MATRIXSCHEDULE_H
#define KILN_LIB_SCHEDULE_MATRIXSCHEDULE_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Registered as the claim `generic.matrices`: factorisations and equations of
/// matrices that one block of threads holds in registers. Functions of the host
/// would wait for the device, and copy the matrices forth and back.
mlir::LogicalResult claimMatrices(mlir::Operation *func,
                                  target::LoweringContext &context);
/// Registered as the schedule `generic.matrices`.
mlir::LogicalResult scheduleMatrices(prim::ClaimOp claim, ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_MATRIXSCHEDULE_H
