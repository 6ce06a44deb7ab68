//===- ReductionSchedule.cpp - Reductions and what surrounds them ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax, norms, sums. If memory is contiguous along a reduced dimension then
// a tile holds whole rows, or, for long rows, pieces of them in loops, one loop
// per level of dependent reductions. Otherwise the reduced dimensions are loops
// and tiles run along the kept one. Where that would read much several times
// with few instances, each reduction has kernels of its own; the largest
// elements and the sum of a softmax share theirs. A mean and a variance over
// several tiles share the loop that reads them; where the variance is another
// group, the kernels of the mean leave its sum of squares in memory.
//
//===----------------------------------------------------------------------===//

#include "OnlineSum.h"
#include "Reducer.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

static LogicalResult reduce(Group &group, const Buffer &out, bool isWhole,
                            std::string &reason, const Buffer *sums = nullptr,
                            SquaresBehind *squares = nullptr,
                            bool fills = true);

/// One reduction of a group, or what follows from it, goes to memory with what
/// its kernels make as well; both are `computed` then.
static LogicalResult reduceOne(Group &group, Operation *reduction,
                               SmallVectorImpl<Operation *> &computed,
                               std::string &reason) {
  ScheduleContext &ctx = group.ctx;
  Value result = reduction->getResult(0), centre;
  SquaresBehind squares;
  if (auto sum = prim::asReduction(reduction, prim::ReductionFunction::Sum))
    squares = findSquaresOf(sum, group, centre);
  std::optional<Group> part;
  if (squares.squares) {
    part.emplace(group.fusion, ctx, centre, computed);
    // What it is computed from is this reduction alone.
    if (failed(part->plan.run(centre)) || part->plan.reductions.size() != 1 ||
        part->plan.reductions[0].op != reduction)
      squares = {};
    else
      result = centre;
  }
  if (!squares.squares) {
    part.emplace(group.fusion, ctx, result, computed);
    if (failed(part->plan.run(result))) {
      reason = part->plan.reason;
      return failure();
    }
  }
  Buffer memory =
      ctx.host.allocate(getElementTypeOrSelf(result), ctx.host.sizesOf(result));
  Operation *sum = onlineSumOf(reduction, group.inGroup());
  Buffer sums;
  if (sum)
    sums = ctx.host.allocate(getElementTypeOrSelf(sum->getResult(0)),
                             ctx.host.sizesOf(sum->getResult(0)));
  if (failed(reduce(*part, memory, /*isWhole=*/true, reason,
                    sum ? &sums : nullptr, &squares)))
    return failure();
  auto have = [&](Value value, const Buffer &buffer) {
    ctx.host.setBuffer(value, buffer);
    computed.push_back(value.getDefiningOp());
  };
  have(result, memory);
  if (sum)
    have(sum->getResult(0), sums);
  if (squares.isMade())
    have(squares.squares.getReduction(), squares.buffer);
  return success();
}

/// Each reduction of a group goes to memory, and what is left is elementwise.
static LogicalResult reduceSeparately(Group &group, const Buffer &out,
                                      std::string &reason) {
  ScheduleContext &ctx = group.ctx;
  std::string name = ctx.kernelName;
  llvm::scope_exit restore([&] { ctx.kernelName = name; });
  // Those that others need stand before them.
  SmallVector<Operation *> reductions, computed;
  for (const ReductionVisit &visit : group.plan.reductions)
    if (!llvm::is_contained(reductions, visit.op))
      reductions.push_back(visit.op);
  llvm::sort(reductions,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *reduction : reductions) {
    if (llvm::is_contained(computed, reduction))
      continue;
    ctx.kernelName = name + "_" + reduction->getName().stripDialect().str() +
                     std::to_string(computed.size());
    if (failed(reduceOne(group, reduction, computed, reason)))
      return failure();
  }
  ctx.kernelName = name;
  Group rest(group.fusion, ctx, group.root, computed);
  if (failed(rest.plan.run(group.root))) {
    reason = rest.plan.reason;
    return failure();
  }
  return emitElementwise(rest, out, reason);
}

/// The kernels of a group with reductions. `isWhole`: they stay together;
/// `sums`: where the sums go that its largest elements are subtracted in;
/// `fills`: whether small tiles have places along more dimensions, which not
/// all that the group reads allows.
static LogicalResult reduce(Group &group, const Buffer &out, bool isWhole,
                            std::string &reason, const Buffer *sums,
                            SquaresBehind *squares, bool fills) {
  KernelBuilder kernel(group.host, group.fusion.getLoc(), group.ctx.kernelName);
  group.addDims(kernel);
  Reducer reducer(group, kernel, out);
  if (sums)
    reducer.addSums(*sums);
  if (squares && squares->squares)
    reducer.addSquares(*squares);
  if (!fills)
    reducer.keepGrid();
  reducer.prepare();
  if (!isWhole && reducer.isSeparate()) {
    kernel.abandon();
    return reduceSeparately(group, out, reason);
  }
  std::optional<KernelBuilder> last;
  if (failed(reducer.run(last))) {
    kernel.abandon();
    if (last)
      last->abandon();
    if (reducer.isFilled())
      return reduce(group, out, isWhole, reason, sums, squares,
                    /*fills=*/false);
    reason = reducer.reason;
    return failure();
  }
  kernel.finish("generic.reduction");
  if (last)
    last->finish("generic.reduction");
  return success();
}

LogicalResult kiln::schedule::scheduleReduction(prim::FusionOp fusion,
                                                ScheduleContext &ctx) {
  // What another group made along with its own sum.
  SmallVector<Operation *> computed;
  Block &body = fusion.getBody().front();
  for (Operation &op : body)
    if (prim::asReduction(&op, prim::ReductionFunction::Sum) &&
        ctx.host.hasBuffer(op.getResult(0)))
      computed.push_back(&op);
  Group group(fusion, ctx, body.getTerminator()->getOperand(0), computed);
  GroupPlan &plan = group.plan;
  if (failed(plan.run(group.root)))
    return ctx.decline(fusion, plan.reason);
  if (!plan.anchors.empty())
    return ctx.decline(fusion, "the group has a product");

  // The memory of a sum that another group made is the result's.
  if (Operation *root = group.root.getDefiningOp();
      root && llvm::is_contained(computed, root) &&
      !ctx.host.hasDestination(fusion.getResult(0))) {
    ctx.host.setBuffer(fusion.getResult(0), ctx.host.buffer(group.root));
    return success();
  }
  Buffer out = ctx.host.destination(fusion.getResult(0));
  std::string reason;
  SquaresBehind squares;
  if (ctx.tiling.model().sharesTiles())
    squares = findSquaresBehind(group);
  bool isLeft = !computed.empty() && plan.reductions.empty();
  if (failed(isLeft ? emitElementwise(group, out, reason)
                    : reduce(group, out, /*isWhole=*/false, reason,
                             /*sums=*/nullptr, &squares)))
    return ctx.decline(fusion, reason);
  ctx.host.setBuffer(fusion.getResult(0), out);
  if (squares.isMade())
    ctx.host.setBuffer(squares.squares.getReduction(), squares.buffer);
  return success();
}
