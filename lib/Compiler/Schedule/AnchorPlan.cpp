//===- AnchorPlan.cpp - Iteration dimensions of products and windows ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/GroupPlan.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

LogicalResult GroupPlan::visitDot(prim::DotGeneralOp op, const AccessMap &map) {
  AnchorVisit anchor;
  anchor.op = op;
  anchor.map = map;
  if (!map.ranges.empty())
    return fail("the result of a product is restricted");
  auto lhsRank = cast<RankedTensorType>(op.getLhs().getType()).getRank();
  auto rhsRank = cast<RankedTensorType>(op.getRhs().getType()).getRank();
  AccessMap lhs, rhs;
  lhs.index.resize(lhsRank);
  rhs.index.resize(rhsRank);
  unsigned next = 0;
  for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
    lhs.index[l] = rhs.index[r] = map.index[next++];
  auto placeFree = [&](AccessMap &target, int64_t rank, ArrayRef<int64_t> batch,
                       ArrayRef<int64_t> contract) {
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
        target.index[d] = map.index[next++];
  };
  placeFree(lhs, lhsRank, op.getLhsBatch(), op.getLhsContract());
  placeFree(rhs, rhsRank, op.getRhsBatch(), op.getRhsContract());
  int number = 0;
  for (auto [l, r] : llvm::zip(op.getLhsContract(), op.getRhsContract())) {
    IndexExpr k = fresh({op.getOperation(), number++}, dimOf(op.getLhs(), l));
    lhs.index[l] = rhs.index[r] = k;
    for (int dim : k.dims())
      anchor.reduced.push_back(dim);
  }
  anchor.operandMaps = {lhs, rhs};
  anchors.push_back(anchor);
  return success(succeeded(visit(op.getLhs(), lhs)) &&
                 succeeded(visit(op.getRhs(), rhs)));
}

LogicalResult GroupPlan::visitConv(prim::ConvOp op, const AccessMap &map) {
  AnchorVisit anchor;
  anchor.op = op;
  anchor.map = map;
  if (!map.ranges.empty())
    return fail("the result of a convolution is restricted");
  unsigned spatial = op.getStrides().size();
  int64_t groups = op.getGroups();
  auto filterType = cast<RankedTensorType>(op.getFilter().getType());
  Extent channels = dimOf(op.getFilter(), spatial + 1);
  AccessMap input, filter;
  input.index.push_back(map.index[0]);
  // Output channels, split into groups if there are several.
  IndexExpr o = map.index[spatial + 1], group;
  if (groups > 1) {
    if (!filterType.isDynamicDim(0) && filterType.getDimSize(0) != groups) {
      MapContext ctx = context();
      SmallVector<IndexExpr> partsOf;
      Extent size = filterType.getDimSize(0);
      Extent pair[] = {groups, filterType.getDimSize(0) / groups};
      if (failed(reshapeMap({o}, {size}, pair, ctx, partsOf))) {
        wish = ctx.refinement;
        return fail("output channels do not split into groups");
      }
      group = partsOf[0];
    } else if (!filterType.isDynamicDim(0)) {
      group = o;
    } else {
      return fail("groups with a dynamic number of output channels");
    }
  }
  filter.index.push_back(o);
  for (unsigned d = 0; d < spatial; ++d) {
    IndexExpr w = fresh({op.getOperation(), static_cast<int>(d)},
                        dimOf(op.getFilter(), d + 1));
    for (int dim : w.dims())
      anchor.reduced.push_back(dim);
    filter.index.push_back(w);
    anchor.window.push_back(w);
    // Always a dimension of its own, even of size 1: padding reaches beyond.
    int h = freshDim(dimOf(op.getInput(), d + 1));
    pinned.set(h);
    anchor.virtualDims.push_back(h);
    input.index.push_back(IndexExpr::dim(h));
  }
  IndexExpr c = fresh({op.getOperation(), static_cast<int>(spatial)}, channels);
  for (int dim : c.dims())
    anchor.reduced.push_back(dim);
  filter.index.push_back(c);
  input.index.push_back(groups > 1 ? group * channels + c : c);
  anchor.operandMaps = {input, filter};
  anchors.push_back(anchor);
  return success(succeeded(visit(op.getInput(), input)) &&
                 succeeded(visit(op.getFilter(), filter)));
}

LogicalResult GroupPlan::visitPool(Operation *op, const AccessMap &map) {
  AnchorVisit anchor;
  anchor.op = op;
  anchor.map = map;
  if (!map.ranges.empty())
    return fail("the result of a pooling is restricted");
  auto window = op->getAttrOfType<DenseI64ArrayAttr>("window").asArrayRef();
  AccessMap input;
  input.index.push_back(map.index.front());
  for (auto [d, size] : llvm::enumerate(window)) {
    IndexExpr w = fresh({op, static_cast<int>(d)}, size);
    anchor.window.push_back(w);
    for (int dim : w.dims())
      anchor.reduced.push_back(dim);
    int h = freshDim(dimOf(op->getOperand(0), d + 1));
    pinned.set(h);
    anchor.virtualDims.push_back(h);
    input.index.push_back(IndexExpr::dim(h));
  }
  input.index.push_back(map.index.back());
  anchor.operandMaps = {input};
  anchors.push_back(anchor);
  return visit(op->getOperand(0), input);
}
