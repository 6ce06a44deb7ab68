//===- AssociativeScan.h - Scans with any function --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_ASSOCIATIVESCAN_H
#define KILN_LIB_SCHEDULE_ASSOCIATIVESCAN_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Registered as the claim `generic.associative_scan`: scans of one or several
/// tensors together by a function of elements, which the program has as a
/// recursion over ever shorter tensors.
mlir::LogicalResult claimAssociativeScan(mlir::Operation *func,
                                         target::LoweringContext &context);
/// Registered as the schedule `generic.associative_scan`.
mlir::LogicalResult scheduleAssociativeScan(prim::ClaimOp claim,
                                            ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ASSOCIATIVESCAN_H
