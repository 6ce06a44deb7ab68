//===- AttentionPlan.cpp - What attention reads, and how ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionPlan.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using prim::ElementFunction;

LogicalResult GroupPlan::visitAttention(prim::AttentionOp op,
                                        const AccessMap &map) {
  AnchorVisit anchor;
  anchor.op = op;
  anchor.map = map;
  if (!map.ranges.empty())
    return fail("the result of attention is restricted");
  unsigned batch = map.index.size() - 2;
  AccessMap query, key, value, mask;
  query.index.assign(map.index.begin(), map.index.begin() + batch);
  key = value = mask = query;
  IndexExpr depth =
      fresh({op.getOperation(), 0}, dimOf(op.getQuery(), batch + 1));
  IndexExpr keys = fresh({op.getOperation(), 1}, dimOf(op.getKey(), batch));
  for (const IndexExpr *expr : {&depth, &keys})
    for (int dim : expr->dims())
      anchor.reduced.push_back(dim);
  query.index.append({map.index[batch], depth});
  key.index.append({keys, depth});
  value.index.append({keys, map.index[batch + 1]});
  mask.index.append({map.index[batch], keys});
  anchor.operandMaps = {query, key, value};
  if (op.getMask())
    anchor.operandMaps.push_back(mask);
  anchors.push_back(anchor);
  for (auto [operand, operandMap] :
       llvm::zip(op.getOperands(), anchor.operandMaps))
    if (failed(visit(operand, operandMap)))
      return failure();
  return success();
}

/// What is visited is the gradient by the query; the others are accessed by the
/// maps of key and value.
LogicalResult GroupPlan::visitAttentionBackward(prim::AttentionBackwardOp op,
                                                const AccessMap &map) {
  AnchorVisit anchor;
  anchor.op = op;
  anchor.map = map;
  if (!map.ranges.empty())
    return fail("a gradient of attention is restricted");
  unsigned batch = map.index.size() - 2;
  IndexExpr query = map.index[batch], depth = map.index[batch + 1];
  IndexExpr keys = fresh({op.getOperation(), 0}, dimOf(op.getKey(), batch));
  IndexExpr width =
      fresh({op.getOperation(), 1}, dimOf(op.getValue(), batch + 1));
  for (const IndexExpr *expr : {&keys, &width})
    for (int dim : expr->dims())
      anchor.reduced.push_back(dim);
  auto at = [&](std::initializer_list<IndexExpr> behind) {
    AccessMap result;
    result.index.assign(map.index.begin(), map.index.begin() + batch);
    result.index.append(behind);
    return result;
  };
  anchor.operandMaps = {at({query, depth}), at({keys, depth}),
                        at({keys, width}),  at({query, width}),
                        at({query, width}), at({query})};
  if (op.getMask())
    anchor.operandMaps.push_back(at({query, keys}));
  anchors.push_back(anchor);
  for (auto [operand, operandMap] :
       llvm::zip(op.getOperands(), anchor.operandMaps))
    if (failed(visit(operand, operandMap)))
      return failure();
  return success();
}

FailureOr<AttentionDims>
kiln::schedule::findAttentionDims(const GroupPlan &plan, std::string &reason) {
  if (plan.anchors.size() != 1 || !plan.reductions.empty() ||
      !isa<prim::AttentionOp, prim::AttentionBackwardOp>(
          plan.anchors.front().op)) {
    reason = "the group is not one attention";
    return failure();
  }
  const AnchorVisit &anchor = plan.anchors.front();
  AttentionDims dims;
  ArrayRef<IndexExpr> query = anchor.operandMaps[0].index,
                      value = anchor.operandMaps[2].index;
  for (const IndexExpr &expr : query.drop_back())
    for (int dim : expr.dims())
      dims.outer.push_back(dim);
  // The innermost part of the queries is what makes tiles.
  const IndexExpr &queries = query.drop_back().back();
  for (int dim : queries.dims())
    if (queries.scale(dim) == 1)
      dims.query = dim;
  if (queries.hasDims() && dims.query < 0) {
    reason = "queries are not beside each other";
    return failure();
  }
  llvm::erase(dims.outer, dims.query);
  for (auto [expr, dim] : {std::pair(&query.back(), &dims.depth),
                           std::pair(&value.drop_back().back(), &dims.key),
                           std::pair(&value.back(), &dims.width)}) {
    *dim = expr->asDim();
    if (expr->hasDims() && *dim < 0) {
      reason = "keys or elements of a head have several dimensions";
      return failure();
    }
  }
  for (int dim : {dims.query, dims.key, dims.depth, dims.width})
    if (dim >= 0 && plan.untiled.test(dim)) {
      reason = "a dimension of attention cannot be in a tile";
      return failure();
    }
  return dims;
}

namespace {

/// Looks at what computes a mask.
class MaskReader {
public:
  MaskReader(GroupPlan &plan, GroupPlan::InGroupFn inGroup,
             const AttentionDims &dims)
      : plan(plan), inGroup(std::move(inGroup)), dims(dims) {}

  MaskBound read(Value mask, AccessMap map) {
    MaskBound bound;
    Operation *select = through(mask, map);
    if (prim::getElementFunction(select) != ElementFunction::Select)
      return bound;
    Value onTrue = select->getOperand(1), onFalse = select->getOperand(2);
    bool isSeen = isSplat(onFalse, isLowest);
    if (!isSeen && !isSplat(onTrue, isLowest))
      return bound;
    bound.isAll = isSplat(isSeen ? onTrue : onFalse,
                          [](const APFloat &x) { return x.isZero(); });
    limit(select->getOperand(0), map, isSeen, bound);
    return bound;
  }

private:
  static bool isLowest(const APFloat &x) {
    return x.isInfinity() && x.isNegative();
  }

  /// What computes a value, behind movements; `map` follows.
  Operation *through(Value &value, AccessMap &map) {
    while (Operation *op = value.getDefiningOp()) {
      if (!inGroup(op))
        return nullptr;
      if (!isViewMovement(op))
        return op;
      MapContext ctx = plan.context();
      AccessMap inner;
      if (failed(moveMap(op, 0, map, ctx, inner)) || !inner.ranges.empty())
        return nullptr;
      map = inner;
      value = op->getOperand(0);
    }
    return nullptr;
  }

  bool isSplat(Value value, llvm::function_ref<bool(const APFloat &)> is) {
    Operation *op = value.getDefiningOp();
    while (op && inGroup(op) && isViewMovement(op))
      op = op->getOperand(0).getDefiningOp();
    auto number =
        op ? dyn_cast_or_null<FloatAttr>(splatValue(op)) : FloatAttr();
    return number && is(number.getValue());
  }

  /// Takes what follows for keys from `condition` being `isSeen`.
  void limit(Value condition, AccessMap map, bool isSeen, MaskBound &bound) {
    Operation *op = through(condition, map);
    if (isSeen && prim::getElementFunction(op) == ElementFunction::And) {
      bound.isAll = false;
      for (Value each : op->getOperands())
        limit(each, map, isSeen, bound);
      return;
    }
    bool isKnown = bound.isKnown;
    if (!compare(op, map, isSeen, bound) || isKnown)
      bound.isAll = false;
  }

  bool compare(Operation *op, const AccessMap &map, bool isSeen,
               MaskBound &bound) {
    auto order = dyn_cast_or_null<prim::ElementFunctionOpInterface>(op);
    if (!order || order.isOfUnsigned())
      return false;
    ElementFunction function = order.getElementFunction();
    bool isStrict = function == ElementFunction::Less ||
                    function == ElementFunction::Greater,
         isLess = function == ElementFunction::Less ||
                  function == ElementFunction::LessOrEqual;
    if (!isStrict && !isLess && function != ElementFunction::GreaterOrEqual)
      return false;
    std::optional<IndexExpr> lhs = index(op->getOperand(0), map);
    std::optional<IndexExpr> rhs = index(op->getOperand(1), map);
    if (!lhs || !rhs)
      return false;
    // Seen where the difference is not negative.
    IndexExpr difference = (isLess == isSeen ? *rhs - *lhs : *lhs - *rhs) -
                           IndexExpr(isStrict == isSeen ? 1 : 0);
    if (dims.key < 0 || !difference.isKnown() ||
        !difference.coefficient(dims.key).is(-1))
      return false;
    IndexExpr last = difference + IndexExpr::dim(dims.key);
    if (dims.query >= 0 && !last.coefficient(dims.query).is(0) &&
        !last.coefficient(dims.query).is(1))
      return false;
    if (!bound.isKnown)
      bound.last = last;
    bound.isKnown = true;
    return true;
  }

  /// An integer as a function of the dimensions.
  std::optional<IndexExpr> index(Value value, AccessMap map) {
    // Narrow ones may wrap.
    Type element = getElementTypeOrSelf(value.getType());
    if (!element.isInteger(32) && !element.isInteger(64))
      return std::nullopt;
    Operation *op = through(value, map);
    if (!op)
      return std::nullopt;
    if (auto creation = dyn_cast<prim::CreationOpInterface>(op))
      if (std::optional<int64_t> dim = creation.getCountedDim())
        return map.index[*dim];
    if (auto number = dyn_cast_or_null<IntegerAttr>(splatValue(op))) {
      int64_t known = number.getValue().getSExtValue();
      // Sums of others do not wrap.
      if (std::abs(known) >= int64_t(1) << 30)
        return std::nullopt;
      return IndexExpr(known);
    }
    if (isa<prim::ElementConversionOpInterface>(op))
      return index(op->getOperand(0), map);
    ElementFunction function = prim::getElementFunction(op);
    if (function != ElementFunction::Add &&
        function != ElementFunction::Subtract)
      return std::nullopt;
    std::optional<IndexExpr> lhs = index(op->getOperand(0), map);
    std::optional<IndexExpr> rhs = index(op->getOperand(1), map);
    if (!lhs || !rhs)
      return std::nullopt;
    return function == ElementFunction::Add ? *lhs + *rhs : *lhs - *rhs;
  }

  GroupPlan &plan;
  GroupPlan::InGroupFn inGroup;
  const AttentionDims &dims;
};

} // namespace

MaskBound kiln::schedule::findMaskBound(Value mask, const AccessMap &map,
                                        GroupPlan &plan,
                                        GroupPlan::InGroupFn inGroup,
                                        const AttentionDims &dims) {
  return MaskReader(plan, std::move(inGroup), dims).read(mask, map);
}
