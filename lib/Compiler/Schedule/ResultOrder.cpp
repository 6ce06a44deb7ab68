//===- ResultOrder.cpp - How results lie in memory ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ResultOrder.h"
#include "WindowInput.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

bool kiln::schedule::computesFromCaches(ScheduleContext &ctx) {
  return computesFromCaches(ctx.description, ctx.tiling.model());
}

bool kiln::schedule::computesFromCaches(target::TargetAttr description,
                                        const target::TilingModel &model) {
  if (!description || model.sharesTiles())
    return false;
  bool hasCache = false;
  for (target::MemoryAttr memory : description.getMemories()) {
    if (memory.getKind() == target::MemoryKind::Explicit)
      return false;
    hasCache |= memory.getKind() == target::MemoryKind::Cached;
  }
  return hasCache;
}

/// Whether kernels of a target take the dimensions of what they read in any
/// order: they do but where a memory for tiles wants one.
static bool takesAnyOrder(const ScheduleContext &ctx) {
  return ctx.tiling.model().sharesTiles() ||
         computesFromCaches(ctx.description, ctx.tiling.model());
}

/// A movement that keeps the elements where they are, whatever their strides.
static bool keepsPlaces(Operation *op) {
  if (isa<PermutationOpInterface>(op))
    return true;
  if (!isa<ReshapeOpInterface>(op))
    return false;
  auto shapeOf = [](Value value) {
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(value.getType()).getShape());
    llvm::erase(shape, 1);
    return shape;
  };
  return shapeOf(op->getOperand(0)) == shapeOf(op->getResult(0));
}

/// The groups that read a value; false if somebody else does.
static bool findReaders(Value value, SmallVectorImpl<prim::FusionOp> &readers) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (keepsPlaces(user))
      return findReaders(user->getResult(0), readers);
    auto fusion = dyn_cast<prim::FusionOp>(user);
    if (!fusion)
      return false;
    readers.push_back(fusion);
    using prim::GroupKind;
    return llvm::is_contained({GroupKind::elementwise, GroupKind::reduction,
                               GroupKind::contraction, GroupKind::convolution},
                              fusion.getKind());
  });
}

bool kiln::schedule::isReadByStrides(Value value) {
  SmallVector<prim::FusionOp> readers;
  return findReaders(value, readers);
}

Buffer kiln::schedule::allocateInOrder(HostProgramBuilder &host, Type element,
                                       ArrayRef<Extent> sizes,
                                       ArrayRef<unsigned> order) {
  SmallVector<Extent> inMemory;
  for (unsigned dim : order)
    inMemory.push_back(sizes[dim]);
  Buffer made = host.allocate(element, inMemory);
  Buffer seen = made;
  for (auto [number, dim] : llvm::enumerate(order)) {
    seen.sizes[dim] = made.sizes[number];
    seen.strides[dim] = made.strides[number];
  }
  return seen;
}

Buffer kiln::schedule::resultInOrder(Group &group, ArrayRef<unsigned> order) {
  Value result = group.fusion.getResult(0);
  SmallVector<prim::FusionOp> readers;
  if (llvm::is_sorted(order) || group.host.hasDestination(result) ||
      !findReaders(result, readers))
    return group.host.destination(result);
  return allocateInOrder(group.host, getElementTypeOrSelf(result),
                         group.host.sizesOf(result), order);
}

Buffer kiln::schedule::resultByAnchor(Group &group, ArrayRef<unsigned> ranks) {
  ArrayRef<IndexExpr> index = group.plan.anchors.front().map.index;
  auto rankOf = [&](const IndexExpr &at) {
    for (auto [d, expr] : llvm::enumerate(index))
      for (int dim : expr.dims())
        if (at.dependsOn(dim))
          return int(ranks[d]);
    return -1;
  };
  ArrayRef<IndexExpr> root = group.plan.rootMap.index;
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(root.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(rankOf(root[a]), a) < std::pair(rankOf(root[b]), b);
  });
  return resultInOrder(group, order);
}

SmallVector<unsigned> kiln::schedule::orderOf(const Buffer &buffer) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(buffer.rank()));
  if (!llvm::all_of(buffer.strides,
                    [](const Extent &stride) { return stride.isStatic(); }))
    return order;
  // Dimensions of one element are anywhere.
  auto keyOf = [&](unsigned dim) {
    return std::pair(-buffer.strides[dim].get(), dim);
  };
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return keyOf(a) < keyOf(b); });
  return order;
}

Buffer kiln::schedule::resultLikeInput(Group &group) {
  const AnchorVisit &anchor = group.plan.anchors.front();
  FailureOr<Buffer> input = memoryOf(group, anchor.op->getOperand(0));
  if (!takesAnyOrder(group.ctx) || failed(input))
    return group.host.destination(group.fusion.getResult(0));
  // Dimensions of the result by those of the input that they belong to.
  SmallVector<unsigned> place(input->rank());
  for (auto [number, d] : llvm::enumerate(orderOf(*input)))
    place[d] = number;
  ArrayRef<IndexExpr> root = group.plan.rootMap.index;
  auto keyOf = [&](unsigned dim) {
    for (auto [d, at] : llvm::enumerate(anchor.map.index))
      for (int other : at.dims())
        if (root[dim].dependsOn(other))
          return std::pair(place[d], dim);
    return std::pair(0u, dim);
  };
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(root.size()));
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return keyOf(a) < keyOf(b); });
  return resultInOrder(group, order);
}

/// Whether a window reads a result, or something that the group reads does not
/// lie in the order of its type, as nothing does but what is for windows.
static bool isNearWindow(Group &group, ArrayRef<prim::FusionOp> readers) {
  if (llvm::any_of(readers, [](prim::FusionOp reader) {
        return reader.getKind() == prim::GroupKind::convolution;
      }))
    return true;
  return group.ctx.tiling.model().sharesTiles() &&
         llvm::any_of(group.plan.leaves, [&](const LeafVisit &leaf) {
           return group.host.hasBuffer(leaf.value) &&
                  !llvm::is_sorted(orderOf(group.host.buffer(leaf.value)));
         });
}

Buffer kiln::schedule::resultForProduct(Group &group) {
  Value result = group.fusion.getResult(0);
  SmallVector<prim::FusionOp> readers;
  if (!group.ctx.tiling.model().sharesTiles() ||
      !findReaders(result, readers) || !isNearWindow(group, readers))
    return group.host.destination(result);
  return resultByAnchor(group,
                        llvm::to_vector(llvm::seq<unsigned>(
                            group.plan.anchors.front().map.index.size())));
}

/// How far elements of a leaf are apart along a dimension of the result, which
/// may be several of the leaf (groups of channels); 0 where it is not along it,
/// or no number says it.
static Extent distanceOf(Group &group, const LeafVisit &leaf,
                         const IndexExpr &at) {
  Extent distance = 0;
  for (int dim : at.dims()) {
    Extent stride =
        group.strideOf(group.host.buffer(leaf.value), leaf.map, dim);
    Extent steps = at.coefficient(dim);
    if (!stride.isStatic() || !steps.isStatic() ||
        stride.get() % steps.get() != 0)
      return 0;
    Extent each = stride.get() / steps.get();
    if (!distance.is(0) && distance.get() != each.get())
      return 0;
    distance = each;
  }
  return distance;
}

Buffer kiln::schedule::resultForWindows(Group &group) {
  GroupPlan &plan = group.plan;
  Value result = group.fusion.getResult(0);
  SmallVector<prim::FusionOp> readers;
  if (!takesAnyOrder(group.ctx) || !findReaders(result, readers) ||
      !isNearWindow(group, readers))
    return group.host.destination(result);
  for (const LeafVisit &leaf : plan.leaves) {
    if (!group.host.hasBuffer(leaf.value))
      continue;
    Buffer seen;
    for (const IndexExpr &at : plan.rootMap.index) {
      seen.sizes.push_back(1);
      seen.strides.push_back(distanceOf(group, leaf, at));
    }
    bool isWhole = llvm::all_of(
        llvm::zip(plan.rootMap.index, seen.strides), [](auto pair) {
          auto &[at, stride] = pair;
          return stride.isStatic() && (!at.hasDims() || !stride.is(0));
        });
    if (!isWhole)
      continue;
    // What has one element comes first.
    for (auto [at, stride] : llvm::zip(plan.rootMap.index, seen.strides))
      if (!at.hasDims())
        stride = Extent(int64_t(1) << 60);
    return resultInOrder(group, orderOf(seen));
  }
  return group.host.destination(result);
}
