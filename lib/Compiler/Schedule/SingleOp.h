//===- SingleOp.h - Groups of one operation ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_LIB_SCHEDULE_SINGLEOP_H
#define KILN_LIB_SCHEDULE_SINGLEOP_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// A fusion group of one operation, all of whose operands are in memory.
struct SingleOp {
  ScheduleContext *ctx = nullptr; ///< null: the group is another one
  prim::FusionOp fusion;
  mlir::Operation *op = nullptr;
};

/// The group as one operation of these classes. A group that is not that is
/// declined with the reason, where `what` names the operation.
template <typename... Ops>
SingleOp findSingleOp(mlir::Operation *group, target::LoweringContext &context,
                      llvm::StringRef what) {
  auto *ctx = context.as<ScheduleContext>();
  if (!ctx) {
    (void)context.decline(group, "needs the context of convert-prim-to-tile");
    return {};
  }
  auto fusion = mlir::cast<prim::FusionOp>(group);
  mlir::Block &body = fusion.getBody().front();
  mlir::Operation *op = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!mlir::isa_and_nonnull<Ops...>(op) || &body.front() != op) {
    (void)ctx->decline(group, "the group is not a single " + what);
    return {};
  }
  for (mlir::Value operand : op->getOperands())
    if (!ctx->host.hasBuffer(operand)) {
      (void)ctx->decline(group,
                         "an operand of a " + what + " must be in memory");
      return {};
    }
  return {ctx, fusion, op};
}

} // namespace kiln::schedule

#endif
