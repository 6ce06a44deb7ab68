//===- SingleOp.h - Groups of one operation ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_LIB_SCHEDULE_SINGLEOP_H
#define KILN_LIB_SCHEDULE_SINGLEOP_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Returns the operation of these classes that a group consists of, all of
/// whose operands are in memory. Else it declines the group with the reason,
/// where `what` names the operation, and returns null.
template <typename... Ops>
mlir::Operation *findSingleOp(prim::FusionOp group, ScheduleContext &ctx,
                              llvm::StringRef what) {
  mlir::Block &body = group.getBody().front();
  mlir::Operation *op = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!mlir::isa_and_nonnull<Ops...>(op) || &body.front() != op) {
    (void)ctx.decline(group, "the group is not a single " + what);
    return nullptr;
  }
  for (mlir::Value operand : op->getOperands())
    if (!ctx.host.hasBuffer(operand)) {
      (void)ctx.decline(group,
                        "an operand of a " + what + " must be in memory");
      return nullptr;
    }
  return op;
}

/// The same for one class of operations.
template <typename OpT>
OpT findOnly(prim::FusionOp group, ScheduleContext &ctx, llvm::StringRef what) {
  return mlir::cast_or_null<OpT>(findSingleOp<OpT>(group, ctx, what));
}

} // namespace kiln::schedule

#endif
