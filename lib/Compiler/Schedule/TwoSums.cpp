//===- TwoSums.cpp - Two sums over the same elements ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a norm needs the sum of what comes from behind, and the sum
// of its products with the normalised elements. Both go through one loop.
//
//===----------------------------------------------------------------------===//

#include "TwoSums.h"
#include "Reducer.h"
#include "Siblings.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

void Reducer::mergeDims(ArrayRef<int> dims) {
  if (!pair)
    return group.merge(kernel, dims, out);
  std::pair<Group *, Buffer> both[] = {groupOfPair(false), groupOfPair(true)};
  mergeForAll(kernel, dims, both);
}

SmallVector<Value> Reducer::emitPair(TileBuilder &emitter) {
  OpBuilder &b = kernel.b;
  const ReductionVisit &visit = plan.reductions[0];
  SmallVector<int> dims, steps;
  for (int dim : visit.dims)
    if (int place = emitter.physical(dim); !llvm::is_contained(dims, place))
      dims.push_back(place);
  for (int dim : dims)
    if (!kernel.numBlocks(dim).is(1) && !kernel.hasBlockOfEachPart(dim))
      steps.push_back(dim);
  SmallVector<int64_t> shape = emitter.shapeOf(visit.operandMap);
  SmallVector<Value> begin;
  for (bool isSecond : {false, true}) {
    Operation *sum = groupOfPair(isSecond).first->plan.reductions[0].op;
    Type wide = sumType(getElementTypeOrSelf(sum->getResult(0)));
    begin.push_back(emitter.splat(neutralValue(sum, wide), shape));
  }
  bool ok = true;
  SmallVector<Value> made =
      emitter.loop(steps, begin, [&](ValueRange carried) -> SmallVector<Value> {
        SmallVector<Value> next(carried);
        for (bool isSecond : {false, true}) {
          // What was read for another step is not this.
          Group &one = *groupOfPair(isSecond).first;
          TileBuilder inside(kernel, one.plan, one.inGroup(), space);
          Operation *sum = one.plan.reductions[0].op;
          Value tile = inside.emit(sum->getOperand(0),
                                   one.plan.reductions[0].operandMap);
          if (!tile) {
            reason = inside.reason;
            ok = false;
            return SmallVector<Value>(carried);
          }
          tile = inside.broadcast(tile, shape);
          Type wide = getElementTypeOrSelf(next[isSecond]);
          if (wide != getElementTypeOrSelf(tile))
            tile = arith::ExtFOp::create(
                b, kernel.loc, RankedTensorType::get(shape, wide), tile);
          tile = inside.maskPartial(tile, dims, neutralValue(sum, wide));
          next[isSecond] = combine(sum, next[isSecond], tile, b);
        }
        return next;
      });
  if (!ok)
    return {};
  for (auto [number, tile] : llvm::enumerate(made))
    tile = emitter.reduceTile(groupOfPair(number).first->plan.reductions[0].op,
                              tile, dims);
  return made;
}

LogicalResult Reducer::storePair(KernelBuilder &last, const Space &axes,
                                 ArrayRef<Value> sums, ArrayRef<int> dims) {
  std::vector<TileBuilder> emitters;
  emitters.reserve(sums.size());
  SmallVector<Value> results;
  for (auto [number, sum] : llvm::enumerate(sums)) {
    Group &one = *groupOfPair(number).first;
    const ReductionVisit &visit = one.plan.reductions[0];
    emitters.emplace_back(last, one.plan, one.inGroup(), axes);
    TileBuilder &emitter = emitters.back();
    Value total = emitter.maskPartial(
        sum, dims, neutralValue(visit.op, getElementTypeOrSelf(sum.getType())));
    if (!dims.empty())
      total = emitter.reduceTile(visit.op, total, dims);
    emitter.bind(visit.op->getResult(0), visit.map,
                 emitter.narrowReduction(visit.op, total));
    results.push_back(emitter.emit(one.root, one.plan.rootMap));
    if (!results.back()) {
      reason = emitter.reason;
      return failure();
    }
  }
  for (auto [number, result] : llvm::enumerate(results)) {
    auto [one, buffer] = groupOfPair(number);
    emitters[number].store(result, buffer, one->plan.rootMap);
  }
  return success();
}

/// Whether a group is computed from one reduction to floats, and its tiles take
/// any part of all dimensions.
static bool isOneSum(const GroupPlan &plan) {
  if (!plan.anchors.empty() || plan.reductions.size() != 1 ||
      plan.untiled.any() || plan.pinned.any())
    return false;
  const ReductionVisit &visit = plan.reductions.front();
  llvm::SmallBitVector support = plan.rootMap.support(plan.sizes.size());
  return isa<FloatType>(getElementTypeOrSelf(visit.op->getResult(0))) &&
         llvm::none_of(visit.dims, [&](int dim) { return support.test(dim); });
}

static bool isPair(const GroupPlan &first, const GroupPlan &second) {
  if (!isOneSum(first) || !isOneSum(second) ||
      !llvm::equal(first.sizes, second.sizes,
                   [](Extent x, Extent y) { return x.same(y); }))
    return false;
  const ReductionVisit &x = first.reductions[0], &y = second.reductions[0];
  return first.rootMap == second.rootMap && x.map == y.map &&
         x.operandMap == y.operandMap && x.dims == y.dims;
}

LogicalResult kiln::schedule::scheduleTwoSums(prim::FusionOp fusion,
                                              ScheduleContext &ctx) {
  if (!ctx.tiling.model().sharesTiles())
    return ctx.decline(fusion, "the machine's threads share out no tiles");
  if (fusion.getNumResults() != 2)
    return ctx.decline(fusion, "not two results");
  Operation *yield = fusion.getBody().front().getTerminator();
  Group first(fusion, ctx, yield->getOperand(0), {}),
      second(fusion, ctx, yield->getOperand(1), {});
  for (Group *group : {&first, &second})
    if (failed(group->plan.run(group->root)))
      return ctx.decline(fusion, group->plan.reason);
  if (!isPair(first.plan, second.plan))
    return ctx.decline(fusion, "the results are not two sums of one shape");
  Buffer outs[] = {ctx.host.destination(fusion.getResult(0)),
                   ctx.host.destination(fusion.getResult(1))};
  // What reads more decides about blocks.
  bool isTurned = second.plan.leaves.size() > first.plan.leaves.size();
  Group &main = isTurned ? second : first, &other = isTurned ? first : second;
  KernelBuilder kernel(ctx.host, fusion.getLoc(), ctx.kernelName);
  main.addDims(kernel);
  Reducer reducer(main, kernel, outs[isTurned]);
  reducer.addPair(other, outs[!isTurned]);
  reducer.prepare();
  std::optional<KernelBuilder> last;
  if (failed(reducer.run(last))) {
    kernel.abandon();
    if (last)
      last->abandon();
    return ctx.decline(fusion, reducer.reason);
  }
  kernel.finish("generic.two_sums");
  if (last)
    last->finish("generic.two_sums");
  for (auto [result, out] : llvm::zip(fusion.getResults(), outs))
    ctx.host.setBuffer(result, out);
  return success();
}
