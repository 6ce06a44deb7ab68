//===- GroupPlan.cpp - The iteration space of a group ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/GroupPlan.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// More visits than this mean that a value is computed again and again.
static constexpr unsigned kMaxVisits = 400;

static bool isOfPrim(Operation *op) {
  return isa_and_nonnull<prim::PrimDialect>(op->getDialect());
}

bool kiln::schedule::isElementwisePrim(Operation *op) {
  return isOfPrim(op) && (op->hasTrait<OpTrait::Elementwise>() ||
                          isa<prim::RescaleOp, prim::TableOp>(op));
}

bool kiln::schedule::isReduction(Operation *op) {
  return isa<prim::TensorReductionOpInterface>(op);
}

bool kiln::schedule::isAnchor(Operation *op) {
  // The interface does not say how far apart windows are, nor what surrounds
  // the operand: schedules ask operations of prim for that.
  return isa<prim::DotGeneralOp, prim::WindowOpInterface>(op) && isOfPrim(op);
}

TypedAttr kiln::schedule::splatValue(Operation *op) {
  auto creation = dyn_cast<prim::CreationOpInterface>(op);
  return creation ? creation.getSplatValue() : TypedAttr();
}

SmallVector<int64_t> kiln::schedule::reducedDims(Operation *op) {
  return cast<prim::TensorReductionOpInterface>(op).getReducedDims();
}

void GroupPlan::reset() {
  sizes.clear();
  leaves.clear();
  reductions.clear();
  anchors.clear();
  pinned.clear();
  untiled.clear();
  rootMap = AccessMap();
  reason.clear();
  visits = 0;
  origin.clear();
  expr.clear();
  keyOrder.clear();
  assigned.clear();
  seen.clear();
  wish.reset();
}

int GroupPlan::freshDim(Extent size) {
  sizes.push_back(size);
  pinned.resize(sizes.size());
  untiled.resize(sizes.size());
  origin.push_back({Key(nullptr, -1), 0});
  return sizes.size() - 1;
}

IndexExpr GroupPlan::fresh(Key key, Extent size) {
  IndexExpr result;
  auto known = parts.find(key);
  SmallVector<Extent, 2> list =
      known == parts.end() ? SmallVector<Extent, 2>{size} : known->second;
  Extent stride = 1;
  SmallVector<Extent> strides(list.size(), 1);
  for (int p = static_cast<int>(list.size()) - 1; p >= 0; --p) {
    strides[p] = stride;
    stride = math.mul(stride, list[p]);
  }
  for (auto [p, part] : llvm::enumerate(list)) {
    // A dimension of size 1 is always at index 0.
    if (part.is(1))
      continue;
    int dim = freshDim(part);
    origin[dim] = {key, static_cast<unsigned>(p)};
    result = result + IndexExpr::dim(dim) * strides[p];
  }
  expr[key] = {result, size};
  keyOrder.push_back(key);
  return result;
}

/// The scatter that gives a value.
static prim::ScatterOp scatterOf(Value root,
                                 const GroupPlan::InGroupFn &inGroup) {
  auto scatter = root.getDefiningOp<prim::ScatterOp>();
  return scatter && inGroup(scatter) ? scatter : prim::ScatterOp();
}

/// How a scatter reads a coordinate of its places, if `map` accesses its
/// updates.
static AccessMap indexMap(prim::ScatterOp op, const AccessMap &map,
                          int64_t number) {
  AccessMap result;
  result.ranges = map.ranges;
  auto type = cast<RankedTensorType>(op.getIndices().getType());
  for (int64_t d = 0; d + 1 < type.getRank(); ++d)
    result.index.push_back(map.index[d]);
  result.index.push_back(IndexExpr(number));
  return result;
}

LogicalResult GroupPlan::run(Value root) {
  // A scatter goes through its updates.
  prim::ScatterOp scatter = scatterOf(root, inGroup);
  SmallVector<Value> roots = {root};
  if (scatter) {
    roots[0] = root = scatter.getUpdates();
    roots.append(scatter.getDims().size(), scatter.getIndices());
  }
  auto type = cast<RankedTensorType>(root.getType());
  auto visitAll = [&] {
    for (auto [number, value] : llvm::enumerate(roots))
      if (failed(visit(value, number ? indexMap(scatter, rootMap, number - 1)
                                     : rootMap)))
        return failure();
    return success();
  };
  // Every round splits one dimension further; there are few to split.
  for (unsigned round = 0; round < 16; ++round) {
    reset();
    for (int64_t d = 0; d < type.getRank(); ++d)
      rootMap.index.push_back(fresh(
          {root.getAsOpaquePointer(), static_cast<int>(d)}, dimOf(root, d)));
    numRootDims = sizes.size();
    if (succeeded(visitAll()))
      return success();
    if (!wish)
      return failure();
    auto [key, part] = origin[wish->dim];
    if (key.second < 0)
      return fail("a dimension would have to be split");
    Extent size = sizes[wish->dim];
    SmallVector<Extent, 2> &list = parts[key];
    if (list.empty())
      list.push_back(size);
    Extent outer = math.floorDiv(size, wish->inner);
    list[part] = outer;
    list.insert(list.begin() + part + 1, Extent(wish->inner));
  }
  return fail("too many dimensions would have to be split");
}

void GroupPlan::pin(const IndexExpr &expr, llvm::SmallBitVector &bits) {
  for (int dim : expr.dims())
    bits.set(dim);
}

LogicalResult GroupPlan::visit(Value value, const AccessMap &map) {
  SmallVector<AccessMap, 1> &maps = seen[value];
  if (llvm::is_contained(maps, map))
    return success();
  maps.push_back(map);
  if (++visits > kMaxVisits)
    return fail("values would be computed too often");
  for (const IndexRange &range : map.ranges)
    pinned.set(range.dim);
  Operation *op = value.getDefiningOp();
  if (!op || !inGroup(op)) {
    leaves.push_back({value, map});
    return success();
  }
  if (auto creation = dyn_cast<prim::CreationOpInterface>(op)) {
    std::optional<int64_t> counted = creation.getCountedDim();
    if (counted)
      pin(map.index[*counted], pinned);
    if (counted || creation.getSplatValue())
      return success();
  }
  if (isa<prim::FromIndexOp>(op))
    return success();
  if (auto table = dyn_cast<prim::TableOp>(op)) {
    Operation *source = table.getTable().getDefiningOp();
    if (source && inGroup(source))
      return fail("a table must be in memory");
    return visit(table.getOperand(), map);
  }
  if (auto rescale = dyn_cast<prim::RescaleOp>(op)) {
    // Multipliers per channel are read like an operand of one dimension.
    if (rescale.getMultiplier().size() > 1)
      pin(map.index.back(), pinned);
    return visit(rescale.getOperand(), map);
  }
  if (isElementwisePrim(op)) {
    for (Value operand : op->getOperands())
      if (failed(visit(operand, map)))
        return failure();
    return success();
  }
  if (isMovement(op)) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      MapContext ctx = context();
      AccessMap inner;
      if (readsNothing(op, operand.getOperandNumber(), map, ctx))
        continue;
      if (failed(moveMap(op, operand.getOperandNumber(), map, ctx, inner))) {
        wish = ctx.refinement;
        return fail("no affine access through " + op->getName().getStringRef());
      }
      for (const IndexRange &range : inner.ranges)
        pinned.set(range.dim);
      if (failed(visit(operand.get(), inner)))
        return failure();
    }
    return success();
  }
  if (isReduction(op))
    return visitReduction(op, map);
  if (auto dot = dyn_cast<prim::DotGeneralOp>(op))
    return visitDot(dot, map);
  if (auto conv = dyn_cast<prim::ConvOp>(op))
    return visitConv(conv, map);
  if (auto attention = dyn_cast<prim::AttentionOp>(op);
      attention && value == attention.getResult())
    return visitAttention(attention, map);
  if (auto backward = dyn_cast<prim::AttentionBackwardOp>(op);
      backward && value == backward.getQueryGradient())
    return visitAttentionBackward(backward, map);
  if (isAnchor(op))
    return visitPool(op, map);
  if (auto gather = dyn_cast<prim::GatherOp>(op))
    return visitGather(gather, map);
  return fail("no schedule knows " + op->getName().getStringRef());
}

/// Whether places are such that schedules find them: see
/// TensorReductionOpInterface.
static bool hasKnownPlaces(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Type place = getElementTypeOrSelf(op->getResult(0).getType());
  return reducedDims(op).size() == 1 && element.isIntOrFloat() &&
         !element.isInteger(1) && (place.isInteger(32) || place.isInteger(64));
}

LogicalResult GroupPlan::visitReduction(Operation *op, const AccessMap &map) {
  Value operand = op->getOperand(0);
  SmallVector<int64_t> reduced = reducedDims(op);
  bool givesPlaces = cast<prim::TensorReductionOpInterface>(op).givesPlaces();
  if (givesPlaces && !hasKnownPlaces(op))
    return fail("no schedule knows the places of " +
                op->getName().getStringRef());
  llvm::SmallBitVector used = map.support(sizes.size());
  ReductionVisit result{op, map, {}, {}};
  result.operandMap.ranges = map.ranges;
  SmallVector<Key> taken;
  auto isFree = [&](const IndexExpr &index) {
    return llvm::none_of(index.dims(), [&](unsigned dim) {
      return dim < used.size() && used.test(dim);
    });
  };
  SmallVector<IndexExpr> reducedExprs;
  for (auto [number, d] : llvm::enumerate(reduced)) {
    Extent size = dimOf(operand, d);
    auto known = assigned.find({op, static_cast<unsigned>(number)});
    Key key(nullptr, -1);
    if (known != assigned.end()) {
      key = known->second;
      if (!isFree(expr[key].first))
        return fail("a reduction is used in two ways");
    } else if (!size.is(1)) {
      for (Key candidate : keyOrder)
        if (expr[candidate].second.same(size) &&
            expr[candidate].first.hasDims() && isFree(expr[candidate].first) &&
            !llvm::is_contained(taken, candidate)) {
          key = candidate;
          break;
        }
    }
    if (key.second < 0) {
      key = Key(op, static_cast<int>(number));
      fresh(key, size);
    }
    taken.push_back(key);
    assigned[{op, static_cast<unsigned>(number)}] = key;
    reducedExprs.push_back(expr[key].first);
    for (int dim : expr[key].first.dims())
      result.dims.push_back(dim);
  }
  // Ranges on reduced dimensions belong to another use of the dimension.
  for (const IndexRange &range : map.ranges)
    if (llvm::is_contained(result.dims, range.dim))
      return fail("a reduced dimension is restricted");
  if (givesPlaces)
    for (int dim : result.dims)
      pinned.set(dim);
  unsigned next = 0, r = 0;
  auto type = cast<RankedTensorType>(operand.getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    bool isReduced = r < reduced.size() && reduced[r] == d;
    result.operandMap.index.push_back(isReduced ? reducedExprs[r++]
                                                : map.index[next++]);
  }
  reductions.push_back(result);
  return visit(operand, result.operandMap);
}

const IndexExpr &GroupPlan::reducedIndex(Operation *op, unsigned number) const {
  return expr.find(assigned.find({op, number})->second)->second.first;
}

bool GroupPlan::recomputes(const ReductionVisit &visit) const {
  llvm::SmallBitVector used = visit.operandMap.support(sizes.size());
  for (unsigned dim = 0; dim < numRootDims; ++dim)
    if (!used.test(dim))
      return true;
  return false;
}

void kiln::schedule::gatherMaps(prim::GatherOp op, const AccessMap &map,
                                AccessMap &data, AccessMap &indices) {
  unsigned batch = op.getBatchDims(), dim = op.getDim();
  unsigned rank = cast<RankedTensorType>(op.getIndices().getType()).getRank();
  indices.ranges = data.ranges = map.ranges;
  for (unsigned d = 0; d < batch; ++d)
    indices.index.push_back(map.index[d]);
  for (unsigned d = 0; d < rank - batch; ++d)
    indices.index.push_back(map.index[dim + d]);
  for (unsigned d = 0; d < map.index.size() - (rank - batch); ++d) {
    if (d == dim)
      data.index.push_back(IndexExpr());
    data.index.push_back(map.index[d < dim ? d : d + rank - batch]);
  }
  if (data.index.size() == dim)
    data.index.push_back(IndexExpr());
}

LogicalResult GroupPlan::visitGather(prim::GatherOp op, const AccessMap &map) {
  Operation *source = op.getOperand().getDefiningOp();
  if (source && inGroup(source))
    return fail("a gathered operand must be in memory");
  AccessMap indices, data;
  gatherMaps(op, map, data, indices);
  // In a tile such a dimension makes each element's place a number of its own.
  llvm::SmallBitVector both = indices.support(sizes.size());
  both &= data.support(sizes.size());
  untiled |= both;
  leaves.push_back({op.getOperand(), data});
  return visit(op.getIndices(), indices);
}
