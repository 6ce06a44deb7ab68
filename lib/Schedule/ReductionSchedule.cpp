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

/// A piece of a long row: equal pieces, in multiples of 64.
static int64_t pieceOf(Extent size, int64_t cap) {
  if (!size.isStatic())
    return std::min<int64_t>(cap, 2048);
  int64_t pieces = (size.get() + cap - 1) / cap;
  int64_t piece = (size.get() + pieces - 1) / pieces;
  return std::min((piece + 63) / 64 * 64, cap);
}

/// Smaller blocks of what is kept, where a target has more to do at once.
static void spreadRows(Group &group, KernelBuilder &kernel, ArrayRef<int> kept,
                       ArrayRef<int> reduced, int vector) {
  // Elements come from memory and go through a few operations.
  double work = 8;
  int64_t instances = 1;
  SmallVector<int> dims;
  SmallVector<int64_t> grain;
  for (int dim : kept) {
    const KernelDim &d = kernel.dims[dim];
    if (d.size.isStatic())
      work *= d.size.get();
    if (d.block > 1) {
      dims.push_back(dim);
      grain.push_back(dim == vector ? 64 : 1);
    } else if (d.size.isStatic()) {
      instances *= d.size.get();
    }
  }
  for (int dim : reduced)
    if (kernel.dims[dim].size.isStatic())
      work *= kernel.dims[dim].size.get();
  group.spread(kernel, dims, grain, instances, work);
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

  int64_t limit = ctx->tiles.reductionElements;
  Space space;
  int vector = contiguousDim(group, all);
  if (vector < 0 || plan.untiled.test(vector))
    vector = !reduced.empty() && !plan.untiled.test(reduced.back())
                 ? reduced.back()
                 : -1;
  int64_t width = 1;
  if (vector >= 0) {
    KernelDim &dim = kernel.dims[vector];
    if (!isReduced.test(vector))
      dim.block = Group::blockFor(dim.size, ctx->tiles.elementwiseCols);
    else if (dim.size.isStatic() && dim.size.get() <= limit)
      dim.block = Group::blockFor(dim.size, limit);
    else
      dim.block = pieceOf(dim.size, limit);
    width = dim.block;
    space.axes.push_back(vector);
  }
  // Several short rows per tile.
  int rows = -1;
  int64_t budget = std::max<int64_t>(
      ctx->tiles.elementwiseRows * ctx->tiles.elementwiseCols, width);
  if (!kept.empty()) {
    rows = kept.back() == vector && kept.size() > 1 ? kept[kept.size() - 2]
                                                    : kept.back();
    if (rows != vector && !plan.untiled.test(rows) && vector >= 0 &&
        isReduced.test(vector)) {
      KernelDim &dim = kernel.dims[rows];
      dim.block = Group::blockFor(
          dim.size, std::max(ctx->tiles.reductionRows, budget / width));
    }
    spreadRows(group, kernel, kept, reduced, vector);
    if (rows != vector && kernel.dims[rows].block > 1)
      space.axes.insert(space.axes.begin(), rows);
  }
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
