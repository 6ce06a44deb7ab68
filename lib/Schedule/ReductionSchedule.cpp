//===- ReductionSchedule.cpp - Reductions and what surrounds them ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax, norms, sums. If memory is contiguous along a reduced dimension then
// a tile holds whole rows, or, for long rows, pieces of them in loops, one loop
// per level of dependent reductions. Otherwise the reduced dimensions are loops
// and tiles run along the kept one.
//
//===----------------------------------------------------------------------===//

#include "kiln/Schedule/Schedules.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// The dimension along which most accesses are contiguous, or -1.
static int contiguousDim(Group &group, ArrayRef<int> dims) {
  int best = -1;
  unsigned most = 0;
  for (int dim : dims) {
    unsigned votes = 0;
    for (const LeafVisit &leaf : group.plan.leaves)
      // What depends on more dimensions is larger and counts more.
      if (group.host.hasBuffer(leaf.value) &&
          group.strideOf(group.host.buffer(leaf.value), leaf.map, dim).is(1))
        votes += leaf.map.support(group.plan.sizes.size()).count();
    if (votes > 0 && votes >= most) {
      most = votes;
      best = dim;
    }
  }
  return best;
}

/// What the model is asked: the dimension along which memory is contiguous,
/// and the rows that share a tile. Other dimensions have blocks of one element.
static void chooseBlocks(Group &group, KernelBuilder &kernel,
                         ArrayRef<int> kept, ArrayRef<int> reduced, int vector,
                         int rows) {
  SmallVector<std::pair<int, target::TilingRole>> dims;
  if (rows >= 0 && rows != vector)
    dims.push_back({rows, target::TilingRole::Row});
  if (vector >= 0)
    dims.push_back({vector, llvm::is_contained(reduced, vector)
                                ? target::TilingRole::Depth
                                : target::TilingRole::Column});
  target::TilingProblem problem =
      group.problemFor(kernel, target::TilingProblem::Kind::Reduction, dims);
  // Elements come from memory and go through a few operations.
  problem.work = 8;
  auto known = [&](int dim) {
    Extent size = kernel.dims[dim].size;
    return size.isStatic() ? size.get() : 1;
  };
  for (int dim : kept) {
    problem.work *= known(dim);
    if (dim != vector && dim != rows)
      problem.instances *= known(dim);
  }
  for (int dim : reduced)
    problem.work *= known(dim);
  group.chooseBlocks(kernel, problem, dims);
}

LogicalResult
kiln::schedule::scheduleReduction(Operation *op,
                                  target::LoweringContext &context) {
  auto *ctx = context.as<ScheduleContext>();
  if (!ctx)
    return context.decline(op, "needs the context of convert-prim-to-tile");
  Group group(cast<prim::FusionOp>(op), *ctx);
  GroupPlan &plan = group.plan;
  if (failed(plan.run(group.root)))
    return ctx->decline(op, plan.reason);
  if (!plan.anchors.empty())
    return ctx->decline(op, "the group has a product");

  Buffer out = ctx->host.destination(group.fusion.getResult(0));
  KernelBuilder kernel(ctx->host, op->getLoc(), ctx->kernelName);
  group.addDims(kernel);
  llvm::SmallBitVector isReduced(plan.sizes.size());
  for (const ReductionVisit &visit : plan.reductions)
    for (int dim : visit.dims)
      isReduced.set(dim);
  // Neighbours of one class may merge.
  SmallVector<int> kept, reduced, run;
  for (unsigned d = 0; d < plan.sizes.size(); ++d) {
    if (!run.empty() && isReduced.test(run.back()) != isReduced.test(d)) {
      group.merge(kernel, run, out);
      run.clear();
    }
    run.push_back(d);
  }
  group.merge(kernel, run, out);
  SmallVector<int> all;
  for (unsigned d = 0; d < plan.sizes.size(); ++d)
    if (kernel.dims[d].into < 0) {
      (isReduced.test(d) ? reduced : kept).push_back(d);
      all.push_back(d);
    }

  Space space;
  int vector = contiguousDim(group, all);
  if (vector < 0 || plan.untiled.test(vector))
    vector = !reduced.empty() && !plan.untiled.test(reduced.back())
                 ? reduced.back()
                 : -1;
  int rows = -1;
  if (!kept.empty())
    rows = kept.back() == vector && kept.size() > 1 ? kept[kept.size() - 2]
                                                    : kept.back();
  chooseBlocks(group, kernel, kept, reduced, vector, rows);
  if (rows >= 0 && rows != vector && kernel.dims[rows].block > 1)
    space.axes.push_back(rows);
  if (vector >= 0)
    space.axes.push_back(vector);
  if (space.axes.empty()) {
    kernel.dims.emplace_back();
    space.axes.push_back(kernel.dims.size() - 1);
    kernel.place(space.axes[0], kernel.constant(0));
  }
  for (int dim : llvm::reverse(kept))
    kernel.addGridDim(dim);
  kernel.placeGrid();
  // Reduced dimensions that fit have their place; the others become loops.
  SmallVector<int> loops;
  for (int dim : reduced)
    if (kernel.numBlocks(dim).is(1))
      kernel.place(dim, kernel.constant(0));
    else
      loops.push_back(dim);

  TileBuilder emitter(kernel, plan, group.inGroup(), space);
  SmallVector<int> outer;
  llvm::SmallBitVector support = plan.rootMap.support(plan.sizes.size());
  for (int dim : support.set_bits())
    if (int p = emitter.physical(dim);
        llvm::is_contained(loops, p) && !llvm::is_contained(outer, p))
      outer.push_back(p);
  bool ok = succeeded(emitter.hoistReductions(group.root, plan.rootMap, outer));
  if (ok)
    emitter.loop(outer, {}, [&](ValueRange) -> SmallVector<Value> {
      Value tile = emitter.emit(group.root, plan.rootMap);
      ok = static_cast<bool>(tile);
      if (ok)
        emitter.store(tile, out, plan.rootMap);
      return {};
    });
  if (!ok) {
    kernel.abandon();
    return ctx->decline(op, emitter.reason);
  }
  kernel.finish("generic.reduction");
  ctx->host.setBuffer(group.fusion.getResult(0), out);
  return success();
}
