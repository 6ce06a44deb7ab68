// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves reshapes to where they cost nothing: to arguments and constants, or
// behind the elementwise work that follows a computation.
#include "Pointwise.h"
#include "Reassociation.h"
#include "Simplify.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Whether `value` is computed, so that a reshape of it separates its kernel
/// from what follows.
bool isComputed(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<PrimDialect>(op ? op->getDialect() : nullptr) &&
         !isa<CreationOpInterface, kiln::ReshapeOpInterface,
              kiln::RepeatOpInterface>(op);
}

/// The sizes of the result of a reshape, without dimensions of one element.
SmallVector<int64_t> coreShape(ReshapeOp op) {
  SmallVector<int64_t> shape(op.getType().getShape());
  llvm::erase(shape, 1);
  return shape;
}

/// Whether HoistReshape takes a reshape.
bool canHoist(ReshapeOp op, ArrayRef<DimGroup> groups) {
  Operation *producer = op.getOperand().getDefiningOp();
  return isPointwise(producer) && producer->hasOneUse() &&
         !isAnchored(op.getOperand()) &&
         ArrayRef(coreShape(op)) != op.getOperand().getType().getShape() &&
         isFreelyReshaped(op.getOperand(), groups, /*regroups=*/true);
}

/// reshape(f(a, b)) is f(reshape(a), reshape(b)) where the new reshapes are
/// free. Dimensions of size 1 that the reshape inserts are inserted behind f.
struct HoistReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto groups = reassociate(op);
    if (!groups || !canHoist(op, *groups))
      return failure();
    Operation *producer = op.getOperand().getDefiningOp();
    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<int64_t> shape = coreShape(op);
    SmallVector<OpFoldResult> sizes = mixedSizes(rewriter, op), core;
    for (auto [size, known] : llvm::zip_equal(sizes, op.getType().getShape()))
      if (known != 1)
        core.push_back(size);
    SmallVector<Value> operands;
    for (Value operand : pointwiseOperands(producer))
      operands.push_back(emit.reshape(
          operand, RankedTensorType::get(shape, getElementTypeOrSelf(operand)),
          core));
    Value moved = rebuildPointwise(rewriter, producer, operands);
    rewriter.replaceOp(op, emit.reshape(moved, op.getType(), sizes));
    // What it reads has one user again, so that the next step finds it so.
    rewriter.eraseOp(producer);
    return success();
  }
};

/// f(reshape(x), y) is reshape(f(x, reshape(y))) if x is computed and the new
/// reshapes are free: f then joins the kernel of x.
struct SinkReshape : RewritePattern {
  SinkReshape(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isPointwise(op))
      return failure();
    for (Value operand : pointwiseOperands(op)) {
      auto reshape = operand.getDefiningOp<ReshapeOp>();
      // What is computed from it has to be anchored, too: the patterns that
      // drop dimensions would move the reshape back.
      if (!reshape || !isComputed(reshape.getOperand()) ||
          (hasUnitDim(reshape.getOperand()) &&
           !isAnchored(reshape.getOperand(), anchorDepth - 1)))
        continue;
      auto groups = reassociate(reshape);
      // What moves the other way does not come back.
      if (!groups || canHoist(reshape, *groups))
        continue;
      if (llvm::all_of(pointwiseOperands(op), [&](Value other) {
            return follows(other, reshape, inverse(*groups));
          }))
        return sink(op, reshape, rewriter);
    }
    return failure();
  }

private:
  /// Whether another operand can take the shape that `reshape` has before.
  static bool follows(Value other, ReshapeOp reshape,
                      ArrayRef<DimGroup> groups) {
    if (auto same = other.getDefiningOp<kiln::ReshapeOpInterface>())
      if (isComputed(same.getMoved()))
        return cast<RankedTensorType>(same.getMoved().getType()).getShape() ==
               reshape.getOperand().getType().getShape();
    if (isFreelyReshaped(other, groups))
      return true;
    // What is stored anyway can be read in any shape. Not if x is stored too:
    // then the two could take turns for ever.
    return isComputed(other) && !other.hasOneUse() && reshape->hasOneUse() &&
           reshape.getOperand().hasOneUse();
  }

  static LogicalResult sink(Operation *op, ReshapeOp reshape,
                            PatternRewriter &rewriter) {
    PrimBuilder emit(rewriter, op->getLoc());
    Value source = reshape.getOperand();
    SmallVector<OpFoldResult> sizes = emit.sizes(source);
    auto shape = cast<RankedTensorType>(source.getType()).getShape();
    SmallVector<Value> operands;
    for (Value operand : pointwiseOperands(op))
      operands.push_back(
          operand == reshape.getResult()
              ? source
              : emit.reshape(
                    operand,
                    RankedTensorType::get(shape, getElementTypeOrSelf(operand)),
                    sizes));
    Value moved = rebuildPointwise(rewriter, op, operands);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResultTypes(), moved,
                                           reshape.getSizes());
    return success();
  }
};

/// reduce(reshape(x)) is reshape(reduce(x)) if whole groups of dimensions are
/// reduced.
template <typename Op> struct SinkThroughReduction : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getOperand().template getDefiningOp<ReshapeOp>();
    if (!reshape || !isComputed(reshape.getOperand()) ||
        hasUnitDim(reshape.getOperand()))
      return failure();
    auto groups = reassociate(reshape);
    if (!groups)
      return failure();
    SmallVector<int64_t> dims;
    for (const DimGroup &group : *groups) {
      auto reduced = [&](int64_t dim) {
        return llvm::is_contained(op.getDims(), dim);
      };
      if (llvm::all_of(group.to, reduced))
        llvm::append_range(dims, group.from);
      else if (llvm::any_of(group.to, reduced))
        return failure();
    }
    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    Value result = emit.reduce<Op>(reshape.getOperand(), dims);
    rewriter.replaceOp(op, emit.reshape(result, op.getType(), sizes));
    return success();
  }
};

/// reshape(broadcast(x)) is a broadcast if it takes whole groups of dimensions
/// from x.
struct AbsorbIntoBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<kiln::RepeatOpInterface>();
    auto groups = broadcast ? reassociate(op) : std::nullopt;
    auto plan = groups ? reshapeBroadcast(broadcast, *groups) : std::nullopt;
    if (!plan)
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<OpFoldResult> sizes = mixedSizes(rewriter, op);
    SmallVector<OpFoldResult> operandSizes;
    for (int64_t dim : plan->dims)
      operandSizes.push_back(sizes[dim]);
    Value operand = emit.reshape(broadcast.getMoved(), operandSizes);
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), operand,
                                                  op.getSizes(), plan->dims);
    return success();
  }
};

/// reshape(broadcast(x)) is broadcast(reshape(broadcast(x))) of few elements if
/// it takes parts of groups of dimensions from x: what follows has no
/// dimensions of groups then.
struct RegroupBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<kiln::RepeatOpInterface>();
    auto groups = broadcast ? reassociate(op) : std::nullopt;
    auto plan = groups && !reshapeBroadcast(broadcast, *groups)
                    ? regroupBroadcast(broadcast, *groups)
                    : std::nullopt;
    if (!plan)
      return failure();
    // Dimensions of one element that are not kept are dropped.
    auto from = cast<RankedTensorType>(broadcast.getMoved().getType());
    SmallVector<int64_t> kept, dims, repeated, merged;
    for (auto [d, target] : llvm::enumerate(broadcast.getKeptDims())) {
      const int64_t *found = llvm::find(plan->before, target);
      if (found == plan->before.end())
        continue;
      kept.push_back(from.getDimSize(d));
      dims.push_back(found - plan->before.begin());
    }
    for (int64_t dim : plan->before)
      repeated.push_back(op.getOperand().getType().getDimSize(dim));
    for (int64_t dim : plan->after)
      merged.push_back(op.getType().getDimSize(dim));
    auto reshaped = [&](Value value, ArrayRef<int64_t> shape) -> Value {
      RankedTensorType type = from.clone(shape);
      return value.getType() == type
                 ? value
                 : ReshapeOp::create(rewriter, op.getLoc(), type, value,
                                     ValueRange())
                       .getResult();
    };
    Value few = BroadcastInDimOp::create(
        rewriter, op.getLoc(), from.clone(repeated),
        reshaped(broadcast.getMoved(), kept), ValueRange(), dims);
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op.getType(), reshaped(few, merged), ValueRange(), plan->after);
    return success();
  }
};

/// reshape(full) is full.
struct ReshapeOfFull : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto full = op.getOperand().getDefiningOp<FullOp>();
    if (!full)
      return failure();
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), op.getSizes(),
                                        full.getValue());
    return success();
  }
};

} // namespace

void kiln::prim::populateMoveReshapePatterns(RewritePatternSet &patterns) {
  patterns.add<HoistReshape, SinkReshape, SinkThroughReduction<SumOp>,
               SinkThroughReduction<ProdOp>, SinkThroughReduction<AmaxOp>,
               SinkThroughReduction<AminOp>, AbsorbIntoBroadcast,
               RegroupBroadcast, ReshapeOfFull>(patterns.getContext());
}
