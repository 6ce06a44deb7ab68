// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a reshape groups dimensions.
#include "Reassociation.h"
#include "Pointwise.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace kiln::prim;

std::optional<SmallVector<DimGroup>> kiln::prim::reassociate(ReshapeOp op) {
  RankedTensorType fromType = op.getOperand().getType(), toType = op.getType();
  ArrayRef<int64_t> from = fromType.getShape(), to = toType.getShape();
  if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0))
    return std::nullopt;
  // A single `?` on both sides has to be the same, as all else matches.
  bool single =
      fromType.getNumDynamicDims() == 1 && toType.getNumDynamicDims() == 1;
  SmallVector<DimGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    DimGroup &group = groups.emplace_back();
    // Dimensions of size 1 join the group that follows.
    while (i + 1 < from.size() && from[i] == 1 && to[j] != 1)
      group.from.push_back(i++);
    while (j + 1 < to.size() && to[j] == 1 && from[i] != 1)
      group.to.push_back(j++);
    int64_t before = from[i], after = to[j];
    group.from.push_back(i++);
    group.to.push_back(j++);
    if (ShapedType::isDynamic(before) || ShapedType::isDynamic(after)) {
      bool same = before == after &&
                  (single || sameSize(op.getOperand(), i - 1, op, j - 1));
      if (!same)
        return std::nullopt;
      continue;
    }
    while (before != after) {
      bool left = before < after;
      if (left ? i == from.size() : j == to.size())
        return std::nullopt;
      int64_t next = left ? from[i] : to[j];
      std::optional<int64_t> product =
          ShapedType::isDynamic(next)
              ? std::nullopt
              : llvm::checkedMul(left ? before : after, next);
      if (!product)
        return std::nullopt;
      (left ? before : after) = *product;
      if (left)
        group.from.push_back(i++);
      else
        group.to.push_back(j++);
    }
  }
  // Only dimensions of size 1 may be left.
  for (; i < from.size(); ++i) {
    if (from[i] != 1)
      return std::nullopt;
    if (groups.empty())
      groups.emplace_back();
    groups.back().from.push_back(i);
  }
  for (; j < to.size(); ++j) {
    if (to[j] != 1)
      return std::nullopt;
    if (groups.empty())
      groups.emplace_back();
    groups.back().to.push_back(j);
  }
  return groups;
}

SmallVector<DimGroup> kiln::prim::inverse(ArrayRef<DimGroup> groups) {
  SmallVector<DimGroup> result;
  for (const DimGroup &group : groups)
    result.push_back({group.to, group.from});
  return result;
}

SmallVector<OpFoldResult> kiln::prim::mixedSizes(OpBuilder &builder,
                                                 ReshapeOp op) {
  SmallVector<OpFoldResult> sizes;
  auto next = op.getSizes().begin();
  for (int64_t size : op.getType().getShape())
    sizes.push_back(ShapedType::isDynamic(size)
                        ? OpFoldResult(*next++)
                        : OpFoldResult(builder.getIndexAttr(size)));
  return sizes;
}

std::optional<ReshapedBroadcast>
kiln::prim::reshapeBroadcast(RepeatOpInterface op, ArrayRef<DimGroup> groups) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> operand = shapeOf(op.getMoved()),
                    shape = shapeOf(op->getResult(0));
  SmallVector<int64_t> dims = op.getKeptDims();
  ReshapedBroadcast result;
  for (const DimGroup &group : groups) {
    // Within a group either everything comes from the operand or nothing.
    bool some = false, all = true;
    for (int64_t dim : group.from) {
      if (shape[dim] == 1)
        continue;
      const int64_t *found = llvm::find(dims, dim);
      bool comes = found != dims.end() && operand[found - dims.begin()] != 1;
      some |= comes;
      all &= comes;
    }
    if (some && !all)
      return std::nullopt;
    if (some)
      llvm::append_range(result.dims, group.to);
  }
  return result;
}

std::optional<RegroupedBroadcast>
kiln::prim::regroupBroadcast(RepeatOpInterface op, ArrayRef<DimGroup> groups) {
  constexpr int64_t kFraction = 8;
  auto from = cast<RankedTensorType>(op.getMoved().getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> dims = op.getKeptDims();
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return std::nullopt;
  RegroupedBroadcast result;
  int64_t repeated = 1;
  for (const DimGroup &group : groups) {
    bool comes = llvm::any_of(group.from, [&](int64_t dim) {
      const int64_t *found = llvm::find(dims, dim);
      return found != dims.end() && from.getDimSize(found - dims.begin()) != 1;
    });
    if (!comes)
      continue;
    llvm::append_range(result.before, group.from);
    llvm::append_range(result.after, group.to);
    for (int64_t dim : group.from)
      repeated *= to.getDimSize(dim);
  }
  if (repeated > to.getNumElements() / kFraction)
    return std::nullopt;
  return result;
}

static bool isFree(Value value, ArrayRef<DimGroup> groups, bool regroups,
                   int depth) {
  Operation *op = value.getDefiningOp();
  auto creation = dyn_cast_or_null<CreationOpInterface>(op);
  if (!op || isa<kiln::ReshapeOpInterface>(op) ||
      (creation && !creation.getCountedDim()))
    return true;
  if (auto broadcast = dyn_cast<kiln::RepeatOpInterface>(op))
    return reshapeBroadcast(broadcast, groups) ||
           (regroups && regroupBroadcast(broadcast, groups));
  return depth > 0 && isPointwise(op) && op->hasOneUse() &&
         llvm::all_of(pointwiseOperands(op), [&](Value operand) {
           return isFree(operand, groups, regroups, depth - 1);
         });
}

bool kiln::prim::isFreelyReshaped(Value value, ArrayRef<DimGroup> groups,
                                  bool regroups) {
  return isFree(value, groups, regroups, /*depth=*/8);
}
