//===- FourierSchedule.h - Fourier transforms as kernels --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_FOURIERSCHEDULE_H
#define KILN_LIB_SCHEDULE_FOURIERSCHEDULE_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Registered as the claim `generic.fourier`: transforms whose lines lie in the
/// caches of a machine that has a lowering for them.
mlir::LogicalResult claimFourier(mlir::Operation *func,
                                 target::LoweringContext &context);
/// Registered as the schedule `generic.fourier`.
mlir::LogicalResult scheduleFourier(prim::ClaimOp claim, ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_FOURIERSCHEDULE_H
