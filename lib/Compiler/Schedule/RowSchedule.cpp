//===- RowSchedule.cpp - Groups with several results of rows --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile holds whole rows. An instance computes from it all elements and the
// values of its rows. Where rows are summed as well, an instance goes through
// every so many-th block of rows and keeps its sums in a tile; a second kernel
// adds up those of all instances.
//
//===----------------------------------------------------------------------===//

#include "RowSchedule.h"
#include "Siblings.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Target/Limits.h"
#include "llvm/ADT/bit.h"
#include <memory>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// One result. Its group computes the result or, of a sum over rows, what is
/// summed: all groups have the dimensions of the tensor, rows first.
struct Part {
  Value value;
  /// The sum over rows, from which the result comes; null: none.
  prim::TensorReductionOpInterface sum;
  std::unique_ptr<Group> group;
  Buffer out;
};

/// Builds the kernels.
class RowsBuilder {
public:
  RowsBuilder(prim::FusionOp fusion, ScheduleContext &ctx)
      : fusion(fusion), ctx(ctx) {}

  LogicalResult run();
  std::string reason;

private:
  LogicalResult fail(const Twine &why) {
    if (reason.empty())
      reason = why.str();
    return failure();
  }
  Group &main() { return *parts.front().group; }
  LogicalResult plan();
  LogicalResult planSums();
  /// Merges and chooses the dimensions of tiles.
  LogicalResult prepare(KernelBuilder &kernel);
  void chooseBlocks(KernelBuilder &kernel);
  /// How many instances share the rows out where they are summed.
  void split(KernelBuilder &kernel);
  /// Emits and stores the values of a block of rows, and adds it to `sums`.
  FailureOr<SmallVector<Value>> emitBlock(KernelBuilder &kernel,
                                          ValueRange sums);
  LogicalResult emitWhole(KernelBuilder &kernel);
  LogicalResult emitSums(KernelBuilder &kernel, KernelBuilder &last);
  /// The second kernel.
  LogicalResult addUp(KernelBuilder &last, ArrayRef<Buffer> memory);

  prim::FusionOp fusion;
  ScheduleContext &ctx;
  std::vector<Part> parts; ///< one of all elements first
  unsigned outer = 0;      ///< dimensions that count rows
  SmallVector<int> rows;   ///< physical ones
  int along = -1;          ///< the physical dimension along rows
  int part = -1;           ///< the dimension that counts instances
  int64_t instances = 1;
  Space space;
};

} // namespace

/// The sum over leading dimensions of a tensor of the shape `shape` that a
/// value is computed from, element by element; null if there is none.
static prim::TensorReductionOpInterface sumOver(Value value,
                                                ArrayRef<int64_t> shape) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto sum = prim::asReduction(op, prim::ReductionFunction::Sum)) {
      bool isSum = sum.getReducedDims().front() == 0 &&
                   sum.getReduced().getType().getShape() == shape;
      return isSum ? sum : prim::TensorReductionOpInterface();
    }
    if (!isElementwisePrim(op))
      return {};
    Value next;
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && splatValue(source))
        continue;
      if (next)
        return {};
      next = operand;
    }
    if (!next)
      return {};
    value = next;
  }
  return {};
}

LogicalResult RowsBuilder::plan() {
  ArrayRef<int64_t> shape;
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  Operation *yield = fusion.getBody().front().getTerminator();
  for (Value value : yield->getOperands())
    if (shapeOf(value).size() > shape.size() ||
        (shapeOf(value).size() == shape.size() &&
         cast<RankedTensorType>(value.getType()).getNumElements() >
             ShapedType::getNumElements(shape)))
      shape = shapeOf(value);
  for (auto [value, result] :
       llvm::zip(yield->getOperands(), fusion.getResults())) {
    Part made;
    made.value = value;
    made.sum = sumOver(value, shape);
    Value root = made.sum ? made.sum.getReduced() : value;
    made.group =
        std::make_unique<Group>(fusion, ctx, root, ArrayRef<Operation *>());
    GroupPlan &plan = made.group->plan;
    if (failed(plan.run(root)))
      return fail(plan.reason);
    if (!plan.anchors.empty() || plan.untiled.any())
      return fail("the group has more than reductions of rows");
    made.out = ctx.host.destination(result);
    parts.push_back(std::move(made));
  }
  // One of all elements, whose dimensions the others have.
  auto isWhole = [&](const Part &of) {
    return !of.sum && shapeOf(of.value) == shape;
  };
  auto whole = llvm::find_if(parts, isWhole);
  if (whole != parts.end())
    std::swap(*whole, parts.front());
  GroupPlan &first = main().plan;
  if (!isWhole(parts.front()) || first.sizes.size() != first.numRootDims)
    return fail("no result has all elements");
  llvm::SmallBitVector reduced(first.sizes.size());
  for (const Part &each : parts) {
    GroupPlan &plan = each.group->plan;
    if (!llvm::equal(plan.sizes, first.sizes,
                     [](Extent x, Extent y) { return x.same(y); }))
      return fail("the results have different dimensions");
    for (const ReductionVisit &visit : plan.reductions)
      for (int dim : visit.dims)
        reduced.set(dim);
  }
  if (reduced.none())
    return fail("no row is reduced");
  outer = reduced.find_first();
  // The results of rows and what is inside have one index for each of these.
  for (const Part &each : parts)
    for (const ReductionVisit &visit : each.group->plan.reductions)
      if (visit.map.support(reduced.size()).anyCommon(reduced))
        return fail("a row is reduced inside of another reduction");
  if (outer == 0 || reduced.count() != reduced.size() - outer)
    return fail("the results have no rows in common");
  return planSums();
}

LogicalResult RowsBuilder::planSums() {
  for (Part &each : parts) {
    const GroupPlan &plan = each.group->plan;
    if (!each.sum) {
      // Each element of a result is written once.
      llvm::SmallBitVector support = plan.rootMap.support(plan.sizes.size());
      bool isOfRows = support.count() == outer &&
                      (outer == 0 || support.find_last() == int(outer) - 1);
      if (support.count() != plan.sizes.size() && !isOfRows)
        return fail("a result is of no rows");
      continue;
    }
    llvm::SmallBitVector summed(plan.sizes.size());
    for (int64_t dim : each.sum.getReducedDims())
      for (int at : plan.rootMap.index[dim].dims())
        summed.set(at);
    if (summed.count() != outer || summed.find_last() != int(outer) - 1 ||
        plan.sizes.size() != outer + 1)
      return fail("a sum is not over all rows");
    if (!isa<FloatType>(getElementTypeOrSelf(each.sum.getReduction())))
      return fail("a sum is of integers");
  }
  return success();
}

LogicalResult RowsBuilder::prepare(KernelBuilder &kernel) {
  main().addDims(kernel);
  std::vector<std::pair<Group *, Buffer>> all;
  for (Part &each : parts) {
    Buffer out = each.out;
    if (each.sum) {
      out.sizes = ctx.host.sizesOf(each.group->root);
      out.strides = denseStrides(out.sizes, ctx.host.math);
    }
    all.push_back({each.group.get(), out});
  }
  int count = main().plan.sizes.size();
  auto before = llvm::to_vector(llvm::seq<int>(0, outer));
  auto behind = llvm::to_vector(llvm::seq<int>(outer, count));
  mergeForAll(kernel, before, all);
  mergeForAll(kernel, behind, all);
  rows = Group::physical(kernel, before);
  behind = Group::physical(kernel, behind);
  if (behind.size() != 1)
    return fail("rows are not contiguous");
  along = behind.front();
  chooseBlocks(kernel);
  if (!kernel.numBlocks(along).is(1))
    return fail("a tile has no room for a row");
  bool hasSums =
      llvm::any_of(parts, [](const Part &each) { return bool(each.sum); });
  if (hasSums) {
    if (rows.size() != 1)
      return fail("rows are summed over several dimensions");
    split(kernel);
    if (instances <= 1)
      return fail("there are few rows");
  }
  if (kernel.dims[rows.back()].block > 1)
    space.axes.push_back(rows.back());
  space.axes.push_back(along);
  return success();
}

void RowsBuilder::chooseBlocks(KernelBuilder &kernel) {
  std::pair<int, target::TilingRole> dims[] = {
      {rows.back(), target::TilingRole::Row},
      {along, target::TilingRole::Depth}};
  target::TilingProblem problem;
  for (Part &each : parts) {
    target::TilingProblem one =
        each.group->problemFor(kernel, target::TilingProblem::Kind::Reduction,
                               dims, each.sum ? nullptr : &each.out);
    llvm::append_range(one.tiles, problem.tiles);
    problem = std::move(one);
  }
  // Elements come from memory and go through a few operations.
  problem.work = 8;
  for (int dim : rows) {
    int64_t size = kernel.dims[dim].size.get();
    problem.work *= size;
    if (dim != rows.back())
      problem.instances *= size;
  }
  problem.work *= kernel.dims[along].size.get();
  main().chooseBlocks(kernel, problem, dims);
}

void RowsBuilder::split(KernelBuilder &kernel) {
  // Two instances of a core: one loads while the other one computes. Each has
  // two blocks at least, and one more instance adds up what all leave.
  constexpr int64_t kOfCore = 2, kMostInstances = 1024;
  uint64_t blocks = kernel.numBlocks(rows.back()).get();
  uint64_t most = kOfCore * target::countCores(ctx.description);
  instances = std::min<int64_t>(kMostInstances,
                                llvm::bit_floor(std::min(blocks / 2, most)));
  part = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[part].size = instances;
  kernel.dims[rows.back()].parts = instances;
}

FailureOr<SmallVector<Value>> RowsBuilder::emitBlock(KernelBuilder &kernel,
                                                     ValueRange sums) {
  std::vector<TileBuilder> emitters;
  SmallVector<Value> tiles, next;
  emitters.reserve(parts.size());
  for (Part &each : parts) {
    Group &group = *each.group;
    emitters.emplace_back(kernel, group.plan, group.inGroup(), space);
    TileBuilder &emitter = emitters.back();
    Value tile = emitter.emit(group.root, group.plan.rootMap);
    if (!tile)
      return fail(emitter.reason);
    if (each.sum) {
      Type element = getElementTypeOrSelf(tile.getType());
      SmallVector<int64_t> shape = emitter.shapeOf(group.plan.rootMap);
      tile = emitter.broadcast(tile, shape);
      Type wide = sumType(element);
      if (wide != element)
        tile = arith::ExtFOp::create(kernel.b, kernel.loc,
                                     RankedTensorType::get(shape, wide), tile);
      tile = emitter.maskPartial(tile, rows, neutralValue(each.sum, wide));
      tile = combine(each.sum, sums[next.size()], tile, kernel.b);
      next.push_back(tile);
    }
    tiles.push_back(tile);
  }
  // All is read before anything is written: a result may be in the place of an
  // operand.
  for (auto [emitter, tile, each] : llvm::zip(emitters, tiles, parts))
    if (!each.sum)
      emitter.store(tile, each.out, each.group->plan.rootMap);
  return next;
}

LogicalResult RowsBuilder::emitWhole(KernelBuilder &kernel) {
  for (int dim : llvm::reverse(rows))
    kernel.addGridDim(dim);
  kernel.placeGrid();
  kernel.place(along, kernel.constant(0));
  return emitBlock(kernel, {});
}

LogicalResult RowsBuilder::emitSums(KernelBuilder &kernel,
                                    KernelBuilder &last) {
  kernel.addGridDim(part);
  kernel.placeGrid();
  kernel.place(along, kernel.constant(0));
  kernel.dims[rows.back()].part = kernel.dims[part].coord;
  TileBuilder emitter(kernel, main().plan, main().inGroup(), space);
  SmallVector<Value> inits;
  for (Part &each : parts)
    if (each.sum) {
      Type wide = sumType(getElementTypeOrSelf(each.sum.getReduction()));
      inits.push_back(emitter.splat(neutralValue(each.sum, wide),
                                    emitter.shapeOf(each.group->plan.rootMap)));
    }
  bool isDone = true;
  SmallVector<Value> tiles =
      emitter.loop(rows, inits, [&](ValueRange carried) -> SmallVector<Value> {
        FailureOr<SmallVector<Value>> next = emitBlock(kernel, carried);
        isDone &= succeeded(next);
        return succeeded(next) ? *next : SmallVector<Value>(carried);
      });
  if (!isDone)
    return failure();
  AccessMap map;
  map.index = {IndexExpr::dim(part), IndexExpr::dim(along)};
  Extent sizes[] = {kernel.dims[part].size, kernel.dims[along].size};
  SmallVector<Buffer, 1> memory;
  unsigned number = 0;
  for (Part &each : parts) {
    if (!each.sum)
      continue;
    Value tile = emitter.reduceTile(each.sum, tiles[number++], rows);
    memory.push_back(
        ctx.host.allocate(getElementTypeOrSelf(tile.getType()), sizes));
    emitter.store(tile, memory.back(), map);
  }
  return addUp(last, memory);
}

LogicalResult RowsBuilder::addUp(KernelBuilder &last, ArrayRef<Buffer> memory) {
  constexpr int64_t kTile = 4096, kLeast = 16, kMost = 64;
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<TileBuilder> emitters;
  emitters.reserve(memory.size());
  SmallVector<Value> tiles;
  int shared = -1;
  for (Part &each : parts) {
    if (!each.sum)
      continue;
    groups.push_back(std::make_unique<Group>(fusion, ctx, each.value,
                                             ArrayRef<Operation *>()));
    Group &group = *groups.back();
    GroupPlan &plan = group.plan;
    // The dimension along rows is the first one of this plan.
    if (failed(plan.run(group.root)) || plan.numRootDims != 1)
      return fail("a sum over rows is computed in another way");
    auto visit = llvm::find_if(plan.reductions, [&](const ReductionVisit &of) {
      return of.op == each.sum;
    });
    if (visit == plan.reductions.end())
      return fail("a sum over rows is no part of its result");
    AccessMap map;
    if (shared < 0) {
      group.addDims(last);
      shared = last.dims.size();
      last.dims.emplace_back();
      last.dims[shared].size = last.dims[shared].block = instances;
      int64_t most =
          std::min<int64_t>(kMost, llvm::PowerOf2Ceil(plan.sizes[0].get()));
      last.dims[0].block = std::clamp<int64_t>(
          kTile / instances, std::min<int64_t>(kLeast, most), most);
      last.addGridDim(0);
      last.placeGrid();
      last.place(shared, last.constant(0));
    }
    map.index = {IndexExpr::dim(shared), IndexExpr::dim(0)};
    emitters.emplace_back(last, plan, group.inGroup(), Space{{shared, 0}});
    TileBuilder &emitter = emitters.back();
    Value tile = emitter.load(memory[tiles.size()], map);
    tile = emitter.reduceTile(each.sum, tile, shared);
    emitter.bind(each.sum.getReduction(), visit->map,
                 emitter.narrowReduction(each.sum, tile));
    tiles.push_back(emitter.emit(group.root, plan.rootMap));
    if (!tiles.back())
      return fail(emitter.reason);
  }
  unsigned number = 0;
  for (Part &each : parts)
    if (each.sum) {
      emitters[number].store(tiles[number], each.out,
                             groups[number]->plan.rootMap);
      ++number;
    }
  return success();
}

LogicalResult RowsBuilder::run() {
  if (!ctx.tiling.model().sharesTiles())
    return fail("the threads of an instance share no tiles");
  if (failed(plan()))
    return failure();
  KernelBuilder kernel(ctx.host, fusion.getLoc(), ctx.kernelName);
  std::optional<KernelBuilder> last;
  LogicalResult done = prepare(kernel);
  if (succeeded(done) && part >= 0) {
    last.emplace(ctx.host, fusion.getLoc(), ctx.kernelName + "_parts");
    done = emitSums(kernel, *last);
  } else if (succeeded(done)) {
    done = emitWhole(kernel);
  }
  if (failed(done)) {
    kernel.abandon();
    if (last)
      last->abandon();
    return failure();
  }
  kernel.finish("generic.rows");
  if (last)
    last->finish("generic.rows");
  for (auto [result, value] :
       llvm::zip(fusion.getResults(),
                 fusion.getBody().front().getTerminator()->getOperands()))
    for (Part &each : parts)
      if (each.value == value)
        ctx.host.setBuffer(result, each.out);
  return success();
}

LogicalResult kiln::schedule::scheduleRows(prim::FusionOp op,
                                           ScheduleContext &ctx) {
  RowsBuilder builder(op, ctx);
  if (failed(builder.run()))
    return ctx.decline(op, builder.reason);
  return success();
}
