// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands attention into products and a softmax, and its gradients.
#include "../PrimBuilder.h"
#include "Decompose.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// query * key^T * scale + mask, in f32 or wider.
template <typename Op> Value scoresOf(Op op, PrimBuilder &emit) {
  RankedTensorType query = op.getQuery().getType();
  int64_t rank = query.getRank();
  Type wide = PrimBuilder::computeType(query.getElementType());
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = op.getKey().getType().getDimSize(rank - 2);
  Value scores = DotGeneralOp::create(emit.builder, op.getLoc(),
                                      RankedTensorType::get(shape, wide),
                                      op.getQuery(), op.getKey(), batch, batch,
                                      {rank - 1}, {rank - 1}, Precision::ieee);
  scores = emit.map<MulOp>(scores, op.getScale().convertToDouble());
  if (op.getMask())
    scores = emit.map<AddOp>(scores, emit.convert(op.getMask(), wide));
  return scores;
}

/// `value`, with 0 where it is minus infinity.
Value withoutLowest(Value value, PrimBuilder &emit) {
  auto type = cast<RankedTensorType>(value.getType());
  Value lowest =
      emit.splatLike(value, -std::numeric_limits<double>::infinity());
  Value isLowest =
      EqOp::create(emit.builder, emit.loc, type.clone(emit.builder.getI1Type()),
                   value, lowest);
  return WhereOp::create(emit.builder, emit.loc, type, isLowest,
                         emit.splatLike(value, 0), value);
}

/// softmax(query * key^T * scale + mask) * value.
struct DecomposeAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    RankedTensorType type = op.getResult().getType();
    int64_t rank = type.getRank();
    Type wide = PrimBuilder::computeType(type.getElementType());
    auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
    Value scores = scoresOf(op, emit), weights, sum;
    if (op.getLogsumexp()) {
      Value shift =
          withoutLowest(emit.reduce<AmaxOp>(scores, {rank - 1}), emit);
      Value powers = emit.map<ExpOp>(emit.map<SubOp>(
          scores, emit.broadcastReduced(shift, scores, {rank - 1})));
      Value total = emit.reduce<SumOp>(powers, {rank - 1});
      weights = emit.map<DivOp>(
          powers, emit.broadcastReduced(total, scores, {rank - 1}));
      sum = emit.map<AddOp>(emit.map<LogOp>(total), shift);
    } else {
      weights = SoftmaxOp::create(rewriter, op.getLoc(), scores.getType(),
                                  scores, rank - 1);
    }
    Value value = emit.convert(op.getValue(), wide);
    Value result = DotGeneralOp::create(
        rewriter, op.getLoc(), type.clone(wide), weights, value, batch, batch,
        {rank - 1}, {rank - 2}, Precision::ieee);
    SmallVector<Value> results = {emit.convert(result, type.getElementType())};
    if (sum)
      results.push_back(sum);
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// The formulas of the operation's definition.
struct DecomposeAttentionBackward : OpRewritePattern<AttentionBackwardOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionBackwardOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    RankedTensorType query = op.getQuery().getType();
    int64_t rank = query.getRank(), rows = rank - 2, columns = rank - 1;
    Type wide = PrimBuilder::computeType(query.getElementType());
    auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
    auto dot = [&](Value lhs, Value rhs, int64_t ofLhs, int64_t ofRhs,
                   RankedTensorType like) -> Value {
      return DotGeneralOp::create(rewriter, op.getLoc(), like.clone(wide), lhs,
                                  rhs, batch, batch, {ofLhs}, {ofRhs},
                                  Precision::ieee);
    };
    Value scores = scoresOf(op, emit);
    auto type = cast<RankedTensorType>(scores.getType());
    Value shift = withoutLowest(op.getLogsumexp(), emit);
    Value weights = emit.map<ExpOp>(emit.map<SubOp>(
        scores, emit.broadcastReduced(shift, scores, {columns})));
    Value gradient = emit.convert(op.getGradient(), wide);
    Value weighted = emit.reduce<SumOp>(
        emit.map<MulOp>(gradient, emit.convert(op.getOutput(), wide)),
        {columns});
    Value change = dot(gradient, emit.convert(op.getValue(), wide), columns,
                       columns, type);
    change = emit.map<MulOp>(
        weights, emit.map<SubOp>(change, emit.broadcastReduced(weighted, scores,
                                                               {columns})));
    change = emit.map<MulOp>(change, op.getScale().convertToDouble());
    Value ofQuery =
        dot(change, emit.convert(op.getKey(), wide), columns, rows, query);
    Value ofKey = dot(change, emit.convert(op.getQuery(), wide), rows, rows,
                      op.getKey().getType());
    Value ofValue = dot(weights, gradient, rows, rows, op.getValue().getType());
    SmallVector<Value> results;
    for (Value result : {ofQuery, ofKey, ofValue})
      results.push_back(emit.convert(result, query.getElementType()));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeAttention(RewritePatternSet &patterns,
                                            WantedFn wanted) {
  addWanted<DecomposeAttention, AttentionOp>(patterns, wanted);
  addWanted<DecomposeAttentionBackward, AttentionBackwardOp>(patterns, wanted);
}
