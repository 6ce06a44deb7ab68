//===- MatrixSchedule.cpp - Small matrices as kernels ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixSchedule.h"
#include "MatrixKernel.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Target/TargetRegistry.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Columns of equations that an instance solves at once.
static constexpr int64_t kColumns = 32;

/// Why a matrix is none for the registers of a block; empty if it is one.
static std::string whyNoTile(RankedTensorType type) {
  constexpr int64_t kMostBytes = 1 << 14;
  ArrayRef<int64_t> shape = type.getShape().take_back(2);
  if (ShapedType::isDynamicShape(shape))
    return "a size is not known";
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t size : shape)
    bytes *= llvm::PowerOf2Ceil(uint64_t(size));
  if (type.getNumDynamicDims() == 0 && type.getNumElements() == 0)
    return "a matrix has no element";
  return bytes > kMostBytes ? "a block has no registers for a matrix" : "";
}

/// The columns of the last operand that an instance takes; 0: it is no
/// operation of these.
static int64_t columnsOf(Operation *op) {
  if (!isa<prim::CholeskyOp, prim::LuOp, prim::TriangularSolveOp>(op))
    return 0;
  auto type = cast<RankedTensorType>(op->getOperands().back().getType());
  int64_t columns = type.getShape().back();
  bool isSolved = isa<prim::TriangularSolveOp>(op);
  if (ShapedType::isDynamic(columns))
    return isSolved ? kColumns : 1;
  columns = llvm::PowerOf2Ceil(uint64_t(columns));
  return isSolved ? std::min(columns, kColumns) : columns;
}

LogicalResult kiln::schedule::claimMatrices(Operation *func,
                                            target::LoweringContext &ctx) {
  SmallVector<Operation *> all;
  func->walk([&](Operation *op) {
    if (columnsOf(op) && !prim::isClaimed(op))
      all.push_back(op);
  });
  if (all.empty() || !ctx.description ||
      !tiling::createDescribedModel(ctx.description, ctx.options)
           ->sharesTiles())
    return success();
  for (Operation *op : all) {
    std::string reason =
        whyNoTile(cast<RankedTensorType>(op->getOperands().front().getType()));
    auto last = cast<RankedTensorType>(op->getOperands().back().getType());
    if (reason.empty() && llvm::is_contained(last.getShape(), 0))
      reason = "a matrix has no element";
    if (!reason.empty()) {
      (void)ctx.decline(op, reason);
      continue;
    }
    if (failed(target::claimOps(op, "matrices", ctx.options.name, ctx)))
      return failure();
  }
  return success();
}

LogicalResult kiln::schedule::scheduleMatrices(prim::ClaimOp claim,
                                               ScheduleContext &ctx) {
  Block &body = claim.getBody().front();
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), claim->getOperands()))
    ctx.host.setAlias(argument, input);
  Operation *op = &body.front();
  if (!llvm::hasSingleElement(body.without_terminator()) || !columnsOf(op))
    return ctx.decline(claim, "the group is not one operation of matrices");
  for (Value operand : op->getOperands())
    if (!ctx.host.hasBuffer(operand))
      return ctx.decline(claim, "an operand must be in memory");
  // A result that is not read has memory all the same.
  SmallVector<Buffer, 4> outs;
  for (Value result : op->getResults()) {
    Value read;
    for (auto [yielded, value] :
         llvm::zip(body.getTerminator()->getOperands(), claim->getResults()))
      if (yielded == result)
        read = value;
    outs.push_back(read ? ctx.host.destination(read)
                        : ctx.host.allocate(getElementTypeOrSelf(result),
                                            ctx.host.sizesOf(result)));
    if (read)
      ctx.host.setBuffer(read, outs.back());
  }
  MatrixKernel kernel(op, ctx, columnsOf(op));
  llvm::TypeSwitch<Operation *>(op)
      .Case<prim::CholeskyOp, prim::LuOp, prim::TriangularSolveOp>(
          [&](auto one) { kernel.build(one, outs); });
  return success();
}
