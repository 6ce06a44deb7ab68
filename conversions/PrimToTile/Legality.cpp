//===- Legality.cpp - Which operations may be one group -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Legality.h"
#include "Wrap.h"
#include "kiln/Schedule/ReshapedView.h"
#include "kiln/Schedule/Scatters.h"
#include "kiln/Schedule/TileBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// A symbol for a dynamic size: equal symbols are equal sizes.
static Extent symbolicDim(index::Symbols &symbols, Value value, unsigned dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  Operation *op = value.getDefiningOp();
  if (op && isElementwisePrim(op))
    return symbolicDim(symbols, op->getOperand(0), dim);
  if (auto transpose = dyn_cast_or_null<prim::TransposeOp>(op))
    return symbolicDim(symbols, transpose.getOperand(),
                       transpose.getPermutation()[dim]);
  if (auto rev = dyn_cast_or_null<prim::RevOp>(op))
    return symbolicDim(symbols, rev.getOperand(), dim);
  if (op && isReduction(op)) {
    SmallVector<int64_t> reduced = reducedDims(op);
    unsigned source = 0;
    for (unsigned left = dim;; ++source) {
      if (llvm::is_contained(reduced, source))
        continue;
      if (left-- == 0)
        break;
    }
    return symbolicDim(symbols, op->getOperand(0), source);
  }
  if (auto broadcast = dyn_cast_or_null<prim::BroadcastInDimOp>(op)) {
    for (auto [d, target] : llvm::enumerate(broadcast.getDims()))
      if (target == static_cast<int64_t>(dim) &&
          cast<RankedTensorType>(broadcast.getOperand().getType())
              .isDynamicDim(d))
        return symbolicDim(symbols, broadcast.getOperand(), d);
    unsigned number = 0;
    for (unsigned d = 0; d < dim; ++d)
      number += type.isDynamicDim(d);
    Value size = broadcast.getSizes()[number];
    if (Operation *source = size.getDefiningOp())
      if (source->getName().getStringRef() == "tensor.dim")
        if (APInt index;
            matchPattern(source->getOperand(1), m_ConstantInt(&index)))
          return symbolicDim(symbols, source->getOperand(0),
                             index.getZExtValue());
    return symbols.of(size);
  }
  return symbols.of(value.getAsOpaquePointer(), dim);
}

/// Sizes as far as they are the same, for looking at groups.
static DimFn symbolicDims(index::Math &math) {
  return [&math](Value value, unsigned dim) {
    return symbolicDim(math.symbols, value, dim);
  };
}

/// Whether a reshape of a transpose of an argument, whose memory is in
/// row-major order, needs no copy. Sizes are known.
static bool isViewOfTransposed(prim::ReshapeOp op) {
  auto transpose = op.getOperand().getDefiningOp<prim::TransposeOp>();
  auto source = transpose ? dyn_cast<BlockArgument>(transpose.getOperand())
                          : BlockArgument();
  if (!source || !isa<FunctionOpInterface>(source.getOwner()->getParentOp()))
    return false;
  auto type = cast<RankedTensorType>(source.getType());
  if (!type.hasStaticShape() || !op.getType().hasStaticShape() ||
      type.getNumElements() == 0)
    return false;
  SmallVector<int64_t> dense(type.getRank(), 1), sizes, strides;
  for (int64_t d = type.getRank() - 1; d > 0; --d)
    dense[d - 1] = dense[d] * type.getDimSize(d);
  for (int64_t from : transpose.getPermutation()) {
    sizes.push_back(type.getDimSize(from));
    strides.push_back(dense[from]);
  }
  return stridesOfReshape(sizes, strides, op.getType().getShape()).has_value();
}

bool kiln::isDenseView(Operation *op) {
  // Only reshapes of what is not dense may need a copy.
  if (!isa<prim::ReshapeOp>(op))
    return true;
  Operation *source = op->getOperand(0).getDefiningOp();
  if (!source || !isViewMovement(source))
    return true;
  if (isa<prim::ReshapeOp>(source) && isDenseView(source)) {
    Operation *before = source->getOperand(0).getDefiningOp();
    if (!before || !isViewMovement(before))
      return true;
  }
  if (isViewOfTransposed(cast<prim::ReshapeOp>(op)))
    return true;
  index::Math math;
  Value result = op->getResult(0);
  SmallVector<Extent> sizes;
  AccessMap identity, inner;
  for (int64_t d = 0; d < cast<RankedTensorType>(result.getType()).getRank();
       ++d) {
    sizes.push_back(symbolicDim(math.symbols, result, d));
    identity.index.push_back(sizes.back().is(1) ? IndexExpr()
                                                : IndexExpr::dim(d));
  }
  MapContext ctx{math, sizes, symbolicDims(math), std::nullopt};
  return succeeded(moveMap(op, 0, identity, ctx, inner));
}

bool kiln::isExpensive(Operation *op) {
  return isSpecial(op) ||
         isa<prim::ExpOp, prim::Exp2Op, prim::Expm1Op, prim::LogOp,
             prim::Log1pOp, prim::SinOp, prim::CosOp, prim::TanhOp, prim::ErfOp,
             prim::TanOp, prim::AsinOp, prim::AcosOp, prim::AtanOp,
             prim::SinhOp, prim::CoshOp, prim::AsinhOp, prim::AcoshOp,
             prim::AtanhOp, prim::Log2Op, prim::Log10Op, prim::CbrtOp,
             prim::ErfcOp, prim::Atan2Op, prim::HypotOp, prim::GcdOp,
             prim::PowOp, prim::SqrtOp, prim::RsqrtOp, prim::DivOp,
             prim::ReciprocalOp, prim::RemainderOp, prim::FmodOp, prim::TableOp,
             prim::RescaleOp, prim::GatherOp>(op);
}

bool kiln::isWidening(Operation *op) {
  auto convert = dyn_cast<prim::ConvertElementTypeOp>(op);
  if (!convert)
    return false;
  Type from = getElementTypeOrSelf(convert.getOperand()),
       to = getElementTypeOrSelf(convert.getResult());
  return from.isIntOrFloat() && to.isIntOrFloat() &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

/// Whether an operation is a conversion to fewer bits.
static bool isNarrowing(Operation *op) {
  auto convert = dyn_cast<prim::ConvertElementTypeOp>(op);
  if (!convert)
    return false;
  Type from = getElementTypeOrSelf(convert.getOperand().getType()),
       to = getElementTypeOrSelf(convert.getResult().getType());
  return from.isIntOrFloat() && to.isIntOrFloat() &&
         to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth();
}

/// Cheap enough to be computed for every block of a product again.
static bool isCheapPrologue(Operation *op) {
  if (isViewMovement(op) || isa<prim::PadOp, prim::ConvertElementTypeOp>(op))
    return true;
  if (!isa<prim::AddOp, prim::SubOp>(op))
    return false;
  // Zero points of quantised operands.
  return isa<IntegerType>(cast<RankedTensorType>(op->getResult(0).getType())
                              .getElementType()) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           Operation *source = operand.getDefiningOp();
           return source && isClonable(source);
         });
}

/// Whether another group computes what an operation gets: it is not cheap all
/// the way from memory.
static bool isComputed(Operation *op) {
  while (op && (isViewMovement(op) || isCheapPrologue(op))) {
    Operation *next = nullptr;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && !isClonable(source))
        next = source;
    op = next;
  }
  return op && isFusible(op) && !isClonable(op);
}

/// True for movements of what another group computes, and for conversions of it
/// to fewer bits that nobody else reads: better a part of the end of that
/// group, or a view of its result, than of the start of the next.
static bool belongsToSource(Operation *op) {
  bool narrows = isNarrowing(op) && op->getOperand(0).hasOneUse();
  return (narrows || isViewMovement(op)) && isComputed(op);
}

/// Whether an operation turns each of several matrices, which stay in order.
static bool turnsMatrices(Operation *op) {
  auto transpose = dyn_cast_or_null<prim::TransposeOp>(op);
  return transpose && transpose.getPermutation().front() == 0;
}

bool Legality::selectsMatrices(Operation *op, Operation *anchor) const {
  constexpr int64_t kManyThreads = 64;
  auto dot = dyn_cast<prim::DotGeneralOp>(anchor);
  Operation *source = op;
  while (turnsMatrices(source))
    source = source->getOperand(0).getDefiningOp();
  auto gather = dyn_cast_or_null<prim::GatherOp>(source);
  if (!gather || !dot || !description || !description.getTopology() ||
      description.getTopology().getThreads() < kManyThreads ||
      gather.getDim() != 0 || gather.getBatchDims() != 0 ||
      gather.getIndices().getType().getRank() != 1)
    return false;
  // Nothing else reads the matrices, which the product has one by one.
  while (source != anchor) {
    if (!source->hasOneUse())
      return false;
    OpOperand &use = *source->use_begin();
    source = use.getOwner();
    if (source == anchor)
      return llvm::is_contained(
          use.getOperandNumber() ? dot.getRhsBatch() : dot.getLhsBatch(), 0);
    if (!turnsMatrices(source))
      return false;
  }
  return false;
}

bool Legality::isLongEpilogue(ArrayRef<Operation *> ops, Operation *anchor,
                              const SmallPtrSetImpl<Operation *> &before,
                              const SmallPtrSetImpl<Operation *> &after) const {
  constexpr int64_t kMany = int64_t(1) << 22, kNarrow = 16;
  auto type = cast<RankedTensorType>(ops.front()->getResult(0).getType());
  if (!description || !description.getTopology() ||
      description.getTopology().getLanes() <= 1 || !type.hasStaticShape() ||
      type.getNumElements() < kMany)
    return false;
  auto isLong = [](Operation *op) {
    return isSpecial(op) || isa<prim::ErfOp>(op);
  };
  if (llvm::none_of(ops, [&](Operation *op) {
        return !before.contains(op) && isLong(op);
      }))
    return false;
  auto isNarrow = [&](Operation *op) {
    auto element =
        dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
    return op != ops.front() && element && element.getWidth() <= kNarrow;
  };
  if (isNarrow(anchor))
    return true;
  // The other kernel reads what the product is rounded to before the function:
  // what is narrow behind the function, or a mask beside it, is not enough.
  SmallPtrSet<Operation *, 16> isBehind;
  for (Operation *op : llvm::reverse(ops)) {
    if (!after.contains(op))
      continue;
    bool follows = llvm::any_of(op->getOperands(), [&](Value operand) {
      return isBehind.contains(operand.getDefiningOp());
    });
    if (isLong(op) || follows)
      isBehind.insert(op);
    else if (isNarrow(op))
      return true;
  }
  return false;
}

bool Legality::anchorAllows(const GroupPlan &plan, ArrayRef<Operation *> ops) {
  if (plan.anchors.size() != 1)
    return false;
  const AnchorVisit &anchor = plan.anchors.front();
  // Every point of the result belongs to one element of the product.
  llvm::SmallBitVector support = anchor.map.support(plan.sizes.size());
  for (unsigned dim = 0; dim < plan.numRootDims; ++dim)
    if (!support.test(dim))
      return false;
  SmallPtrSet<Operation *, 16> before, after;
  for (Operation *op : ops) {
    // Users come first, so what is not an ancestor yet never becomes one.
    bool feeds = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user == anchor.op || before.contains(user);
    });
    if (feeds) {
      before.insert(op);
      if (!selectsMatrices(op, anchor.op) &&
          (!isCheapPrologue(op) || belongsToSource(op)))
        return false;
      auto conv = dyn_cast<prim::ConvOp>(anchor.op);
      if (conv && llvm::any_of(conv.getInputDilation(),
                               [](int64_t d) { return d != 1; }))
        return false;
    }
  }
  for (Operation *op : llvm::reverse(ops)) {
    bool follows = llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source && (source == anchor.op || after.contains(source));
    });
    if (!follows)
      continue;
    after.insert(op);
    if (before.contains(op) ||
        !(isElementwisePrim(op) || isa<prim::ReshapeOp, prim::TransposeOp>(op)))
      return false;
  }
  if (isLongEpilogue(ops, anchor.op, before, after))
    return false;
  // A window needs its spatial dimensions one by one.
  auto isOne = [](const IndexExpr &at) {
    return !at.hasDims() || at.asDim() >= 0;
  };
  return isa<prim::DotGeneralOp>(anchor.op) ||
         llvm::all_of(
             ArrayRef(anchor.map.index).slice(1, anchor.virtualDims.size()),
             isOne);
}

/// Whether an instance would have one reduction inside of another, with many
/// steps: a sum over rows of what each row is reduced to. Apart, rows are
/// reduced by as many instances as there are rows.
static bool hasLongNest(const GroupPlan &plan) {
  constexpr int64_t kMostSteps = int64_t(1) << 15, kUnknownSize = 64;
  auto steps = [&](const ReductionVisit &visit) {
    double count = 1;
    for (int dim : visit.dims) {
      Extent size = plan.sizes[dim];
      count *= double(size.isStatic() ? size.get() : kUnknownSize);
    }
    return count;
  };
  for (const ReductionVisit &inner : plan.reductions) {
    llvm::SmallBitVector of = inner.map.support(plan.sizes.size());
    for (const ReductionVisit &outer : plan.reductions) {
      bool isInside =
          llvm::any_of(outer.dims, [&](int dim) { return of.test(dim); });
      if (isInside && steps(outer) * steps(inner) > kMostSteps)
        return true;
    }
  }
  return false;
}

bool Legality::reductionsAllow(const GroupPlan &plan,
                               ArrayRef<Operation *> ops) {
  if (hasLongNest(plan))
    return false;
  SmallPtrSet<Operation *, 8> seen;
  for (const ReductionVisit &visit : plan.reductions) {
    if (!seen.insert(visit.op).second || plan.recomputes(visit))
      return false;
    for (const IndexExpr &index : visit.map.index)
      if (index.dims().size() > 1 || !index.offset().is(0))
        return false;
  }
  return true;
}

/// Whether a reduction that joins a group meets another one of the group only
/// behind both, and cores would have no instance: several instances can share
/// one reduction, but not two.
static bool keepsCoresIdle(ArrayRef<Operation *> ops,
                           target::TargetAttr description) {
  constexpr int64_t kColumns = 64, kLeastElements = int64_t(1) << 18;
  target::TopologyAttr topology =
      description ? description.getTopology() : target::TopologyAttr();
  Operation *newcomer = ops.back();
  if (!topology || topology.getLanes() <= 1 || !isReduction(newcomer) ||
      newcomer->getNumResults() != 1)
    return false;
  SmallPtrSet<Operation *, 32> group(ops.begin(), ops.end()), seen;
  bool hasOther = llvm::any_of(ops.drop_back(), isReduction);
  SmallVector<Operation *> work = {newcomer};
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (!group.contains(user) || !seen.insert(user).second)
        continue;
      if (isReduction(user))
        return false;
      work.push_back(user);
    }
  auto from = cast<RankedTensorType>(newcomer->getOperand(0).getType());
  auto to = cast<RankedTensorType>(newcomer->getResult(0).getType());
  auto root = cast<RankedTensorType>(ops.front()->getResult(0).getType());
  if (!hasOther || !from.hasStaticShape() || !root.hasStaticShape() ||
      from.getNumElements() < kLeastElements)
    return false;
  bool isOfRows = llvm::is_contained(reducedDims(newcomer), from.getRank() - 1);
  int64_t instances = std::max(to.getNumElements(), root.getNumElements()) /
                      (isOfRows ? 1 : kColumns);
  return instances < topology.getCores();
}

/// Whether a value is computed from a reduction, not through a product.
static bool followsReduction(Operation *op) {
  SmallVector<Operation *> work = {op};
  SmallPtrSet<Operation *, 16> seen;
  while (!work.empty() && seen.size() < 64) {
    Operation *next = work.pop_back_val();
    if (!seen.insert(next).second || isAnchor(next) || !isFusible(next))
      continue;
    if (isReduction(next))
      return true;
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        work.push_back(source);
  }
  return false;
}

static int64_t elements(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? type.getNumElements() : -1;
}

bool Legality::scatterAllows(prim::ScatterOp scatter, Operation *newcomer) {
  auto isOperand = [&](OpOperand &use) {
    return use.getOwner() == scatter && use.getOperandNumber() == 0;
  };
  return computesOperands(scatter, description) &&
         (isElementwisePrim(newcomer) || isMovement(newcomer) ||
          isClonable(newcomer) || isa<prim::GatherOp>(newcomer)) &&
         newcomer->getNumResults() == 1 &&
         llvm::none_of(newcomer->getUses(), isOperand);
}

/// The operations from an operand of `op` to the anchor, a matmul or an
/// operation with windows, that it is computed from, element by element and for
/// it alone; empty if there is none. Users come first.
static SmallVector<Operation *> pathToAnchor(Operation *op, int most = 8) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!source || !operand.hasOneUse() || source->getNumResults() != 1 ||
        source->getBlock() != op->getBlock() ||
        shapeOf(operand) != shapeOf(op->getResult(0)))
      continue;
    if (isAnchor(source))
      return {source};
    if (most == 0 || !isElementwisePrim(source))
      continue;
    SmallVector<Operation *> path = pathToAnchor(source, most - 1);
    if (!path.empty()) {
      path.insert(path.begin(), source);
      return path;
    }
  }
  return {};
}

bool Legality::endsProduct(ArrayRef<Operation *> ops) {
  if (!isNarrowing(ops.back()))
    return false;
  SmallVector<Operation *> path = pathToAnchor(ops.back());
  if (path.empty())
    return false;
  SmallVector<Operation *> all(ops);
  for (Operation *op : path) {
    all.push_back(op);
    if (!canForm(all))
      return true;
  }
  return false;
}

bool Legality::canForm(ArrayRef<Operation *> ops) {
  Operation *newcomer = ops.back();
  auto scatter = dyn_cast<prim::ScatterOp>(ops.front());
  if (scatter && newcomer != scatter && !scatterAllows(scatter, newcomer))
    return false;
  SmallPtrSet<Operation *, 32> group(ops.begin(), ops.end());
  index::Math math;
  GroupPlan plan(math, symbolicDims(math),
                 [&](Operation *op) { return group.contains(op); });
  Value root = ops.front()->getResult(0);
  if (failed(plan.run(root)))
    return false;
  if (!plan.anchors.empty()) {
    if (!plan.reductions.empty() || !anchorAllows(plan, ops))
      return false;
  } else if (!reductionsAllow(plan, ops) || keepsCoresIdle(ops, description) ||
             (ops.size() > 1 && endsProduct(ops))) {
    return false;
  }
  if (ops.size() == 1 || !isExpensive(newcomer))
    return true;
  // Expensive values are not computed twice, nor again and again for a result
  // that they are broadcast to.
  Value value = newcomer->getResult(0);
  if (plan.timesVisited(value) > 1)
    return false;
  int64_t mine = elements(value),
          all = elements(scatter ? scatter.getUpdates() : root);
  bool repeated = mine > 64 && all > 0 && mine * 4 <= all;
  return !repeated || followsReduction(newcomer);
}
