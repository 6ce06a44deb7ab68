// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges along any dimension as exchanges of parts that lie one after the
// other in memory, along dimension 0, with transpositions around them.
#include "../PrimBuilder.h"
#include "Decompose.h"
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "kiln/Index/ScalarBuilder.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Dimension `from` moves to `to`; the others keep their order.
SmallVector<int64_t> moved(int64_t rank, int64_t from, int64_t to) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

/// Whether the parts of a tensor along `dim` lie one after the other.
bool isLeading(RankedTensorType type, int64_t dim) {
  return llvm::all_of(type.getShape().take_front(dim),
                      [](int64_t size) { return size == 1; });
}

/// Splits `dim` into n parts of equal size, which become dimension 0.
Value splitOff(PrimBuilder &emit, Value whole, int64_t dim, int64_t n) {
  SmallVector<OpFoldResult> sizes = emit.sizes(whole);
  kiln::index::ScalarBuilder math(emit.builder, emit.loc);
  OpFoldResult count = math.constant(n);
  sizes[dim] = math.floorDiv(sizes[dim], count);
  sizes.insert(sizes.begin() + dim, count);
  Value parts = emit.reshape(whole, sizes);
  return dim ? emit.transpose(parts, moved(sizes.size(), dim, 0)) : parts;
}

/// The other way round: parts along dimension 0, each a part of `dim`.
Value merge(PrimBuilder &emit, Value parts, int64_t dim) {
  SmallVector<OpFoldResult> sizes = emit.sizes(parts);
  if (dim) {
    parts = emit.transpose(parts, moved(sizes.size(), 0, dim));
    sizes = emit.sizes(parts);
  }
  kiln::index::ScalarBuilder math(emit.builder, emit.loc);
  sizes[dim] = math.mul(sizes[dim], sizes[dim + 1]);
  sizes.erase(sizes.begin() + dim + 1);
  return emit.reshape(parts, sizes);
}

/// A tensor with a dimension of one element before the others, and back.
Value addUnit(PrimBuilder &emit, Value value) {
  SmallVector<OpFoldResult> sizes = emit.sizes(value);
  sizes.insert(sizes.begin(), emit.builder.getIndexAttr(1));
  return emit.reshape(value, sizes);
}
Value dropUnit(PrimBuilder &emit, Value value) {
  SmallVector<OpFoldResult> sizes = emit.sizes(value);
  sizes.erase(sizes.begin());
  return emit.reshape(value, sizes);
}

int64_t groupSize(Operation *op) { return rankLists(op).front().size(); }

/// The type of a tensor whose dimension 0 has another size.
RankedTensorType withLeading(Value value, int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = size;
  return type.clone(shape);
}

/// In the type that the operation had, which may know more sizes or fewer.
void replace(PatternRewriter &rewriter, PrimBuilder &emit, Operation *op,
             Value value) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (value.getType() != type) {
    SmallVector<OpFoldResult> sizes = emit.sizes(value);
    value =
        ReshapeOp::create(rewriter, op->getLoc(), type, value,
                          dynamicSizes(rewriter, op->getLoc(), type, sizes));
  }
  rewriter.replaceOp(op, value);
}

struct DecomposeAllGather : OpRewritePattern<AllGatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllGatherOp op,
                                PatternRewriter &rewriter) const override {
    int64_t dim = op.getDim();
    if (isLeading(op.getOperand().getType(), dim))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    Value operand = addUnit(emit, op.getOperand());
    Value all = AllGatherOp::create(rewriter, op.getLoc(),
                                    withLeading(operand, groupSize(op)),
                                    operand, 0, op.getGroups());
    replace(rewriter, emit, op, merge(emit, all, dim));
    return success();
  }
};

struct DecomposeReduceScatter : OpRewritePattern<ReduceScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceScatterOp op,
                                PatternRewriter &rewriter) const override {
    int64_t dim = op.getDim();
    if (isLeading(op.getOperand().getType(), dim))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    Value parts = splitOff(emit, op.getOperand(), dim, groupSize(op));
    Value mine =
        ReduceScatterOp::create(rewriter, op.getLoc(), withLeading(parts, 1),
                                op.getCombiner(), parts, 0, op.getGroups());
    replace(rewriter, emit, op, dropUnit(emit, mine));
    return success();
  }
};

struct DecomposeAllToAll : OpRewritePattern<AllToAllOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllToAllOp op,
                                PatternRewriter &rewriter) const override {
    auto type = op.getOperand().getType();
    int64_t split = op.getSplit(), concat = op.getConcat();
    if (split == concat && isLeading(type, split))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    Value parts = splitOff(emit, op.getOperand(), split, groupSize(op));
    Value all = AllToAllOp::create(rewriter, op.getLoc(), parts.getType(),
                                   parts, 0, 0, op.getGroups());
    replace(rewriter, emit, op, merge(emit, all, concat));
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeCollective(RewritePatternSet &patterns,
                                             WantedFn wanted) {
  addWanted<DecomposeAllGather, AllGatherOp>(patterns, wanted);
  addWanted<DecomposeReduceScatter, ReduceScatterOp>(patterns, wanted);
  addWanted<DecomposeAllToAll, AllToAllOp>(patterns, wanted);
}
