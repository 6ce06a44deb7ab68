//===- Siblings.cpp - Elementwise groups with several results -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One grid over the shape of the results; each instance computes the block of
// every result. Loads that results have in common become one.
//
//===----------------------------------------------------------------------===//

#include "Siblings.h"
#include "ElementBlocks.h"
#include <memory>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// Builds the kernel of a group with several results.
class SiblingsBuilder {
public:
  SiblingsBuilder(prim::FusionOp fusion, ScheduleContext &ctx)
      : fusion(fusion), ctx(ctx) {
    for (Value root : fusion.getBody().front().getTerminator()->getOperands())
      groups.push_back(
          std::make_unique<Group>(fusion, ctx, root, ArrayRef<Operation *>()));
  }

  LogicalResult run();
  std::string reason;

private:
  /// Plans all results; they have the same dimensions.
  bool isPlanned();

  prim::FusionOp fusion;
  ScheduleContext &ctx;
  /// One for each result.
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<Buffer> outs;
};

} // namespace

bool SiblingsBuilder::isPlanned() {
  const GroupPlan &first = groups.front()->plan;
  for (auto &group : groups) {
    GroupPlan &plan = group->plan;
    if (failed(plan.run(group->root))) {
      reason = plan.reason;
      return false;
    }
    bool isAlike = plan.sizes.size() == plan.numRootDims &&
                   llvm::equal(plan.sizes, first.sizes,
                               [](const Extent &x, const Extent &y) {
                                 return x.same(y);
                               }) &&
                   plan.rootMap == first.rootMap;
    if (isAlike && plan.reductions.empty() && plan.anchors.empty())
      continue;
    reason = "the results have different dimensions";
    return false;
  }
  return true;
}

void kiln::schedule::mergeForAll(KernelBuilder &kernel, ArrayRef<int> dims,
                                 ArrayRef<std::pair<Group *, Buffer>> groups) {
  const auto before = kernel.dims;
  SmallVector<bool> isMerged(before.size(), true);
  for (auto &[group, out] : groups) {
    kernel.dims = before;
    group->merge(kernel, dims, out);
    for (auto [merged, dim] : llvm::zip(isMerged, kernel.dims))
      merged &= dim.into >= 0;
  }
  kernel.dims = before;
  // Sizes grow inwards.
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    KernelDim &dim = kernel.dims[dims[i]], &inner = kernel.dims[dims[i + 1]];
    if (!isMerged[dims[i]])
      continue;
    dim.into = dims[i + 1];
    inner.size = kernel.host.math.mul(dim.size, inner.size);
  }
}

LogicalResult SiblingsBuilder::run() {
  if (!isPlanned())
    return failure();
  for (Value result : fusion.getResults())
    outs.push_back(ctx.host.destination(result));
  Group &first = *groups.front();
  KernelBuilder kernel(ctx.host, fusion.getLoc(), ctx.kernelName);
  first.addDims(kernel);
  SmallVector<int> dims =
      llvm::to_vector(llvm::seq<int>(0, first.plan.numRootDims));
  std::vector<std::pair<Group *, Buffer>> all;
  for (auto [group, out] : llvm::zip(groups, outs))
    all.push_back({group.get(), out});
  mergeForAll(kernel, dims, all);
  dims = Group::physical(kernel, dims);
  auto tiled = elementRoles(dims);
  target::TilingProblem problem;
  for (auto [group, out] : llvm::zip(groups, outs)) {
    target::TilingProblem one = group->problemFor(
        kernel, target::TilingProblem::Kind::Elementwise, tiled, &out);
    llvm::append_range(one.tiles, problem.tiles);
    problem = std::move(one);
  }
  first.chooseBlocks(kernel, problem, tiled);
  Space space = elementSpace(kernel, dims);
  placeInGrid(kernel, dims);

  // All is read before anything is written: a result may be in the place of an
  // operand.
  SmallVector<Value> tiles;
  std::vector<TileBuilder> emitters;
  for (auto &group : groups) {
    emitters.emplace_back(kernel, group->plan, group->inGroup(), space);
    tiles.push_back(emitters.back().emit(group->root, group->plan.rootMap));
    if (tiles.back())
      continue;
    reason = emitters.back().reason;
    kernel.abandon();
    return failure();
  }
  for (auto [emitter, tile, group, out] :
       llvm::zip(emitters, tiles, groups, outs))
    emitter.store(tile, out, group->plan.rootMap);
  kernel.finish("generic.siblings");
  for (auto [result, out] : llvm::zip(fusion.getResults(), outs))
    ctx.host.setBuffer(result, out);
  return success();
}

LogicalResult kiln::schedule::scheduleSiblings(prim::FusionOp op,
                                               ScheduleContext &ctx) {
  SiblingsBuilder builder(op, ctx);
  if (failed(builder.run()))
    return ctx.decline(op, builder.reason);
  return success();
}
