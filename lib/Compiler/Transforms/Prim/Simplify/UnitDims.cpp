// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removes dimensions of size 1 from computations; reshapes at the edges cancel.
#include "Pointwise.h"
#include "Reassociation.h"
#include "Simplify.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Operations that compute the same without dimensions of size 1.
bool isDroppable(Operation *op) {
  return isPointwise(op) ||
         isa<TransposeOp, SliceOp, PadOp, CatOp, RevOp, SumOp, ProdOp, AmaxOp,
             AminOp, ArgmaxOp, DotGeneralOp, SoftmaxOp, RmsNormOp, LayerNormOp>(
             op);
}

} // namespace

bool kiln::prim::hasUnitDim(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && llvm::is_contained(type.getShape(), 1);
}

bool kiln::prim::isAnchored(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0 || !hasUnitDim(value) ||
      !isa_and_nonnull<PrimDialect>(op->getDialect()) ||
      isa<kiln::ReshapeOpInterface, kiln::RepeatOpInterface,
          CreationOpInterface>(op))
    return false;
  if (!isDroppable(op))
    return true;
  return isPointwise(op) &&
         llvm::any_of(pointwiseOperands(op), [&](Value operand) {
           return isAnchored(operand, depth - 1);
         });
}

namespace {

/// `values` without the entries of removed dimensions.
template <typename T>
SmallVector<T> kept(ArrayRef<T> values, ArrayRef<bool> removed) {
  SmallVector<T> result;
  for (auto [value, gone] : llvm::zip_equal(values, removed))
    if (!gone)
      result.push_back(value);
  return result;
}

/// The number of a dimension after the removal of others.
int64_t renumber(int64_t dim, ArrayRef<bool> removed) {
  return dim - llvm::count(removed.take_front(dim), true);
}

SmallVector<int64_t> renumber(ArrayRef<int64_t> dims, ArrayRef<bool> removed) {
  SmallVector<int64_t> result;
  for (int64_t dim : dims)
    if (!removed[dim])
      result.push_back(renumber(dim, removed));
  return result;
}

/// Dimensions of size 1.
SmallVector<bool> unitDims(RankedTensorType type) {
  return llvm::map_to_vector(type.getShape(),
                             [](int64_t size) { return size == 1; });
}

RankedTensorType drop(RankedTensorType type, ArrayRef<bool> removed) {
  return RankedTensorType::get(kept(type.getShape(), removed),
                               type.getElementType());
}

/// `operand` without the removed dimensions.
Value drop(PrimBuilder &emit, Value operand, ArrayRef<bool> removed) {
  return emit.reshape(
      operand, drop(cast<RankedTensorType>(operand.getType()), removed),
      kept(ArrayRef<OpFoldResult>(emit.sizes(operand)), removed));
}

/// Elementwise operations of tensors with dimensions of size 1.
struct DropElementwise : RewritePattern {
  DropElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isPointwise(op) || !hasUnitDim(op->getResult(0)) ||
        isAnchored(op->getResult(0)))
      return failure();
    PrimBuilder emit(rewriter, op->getLoc());
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<bool> removed = unitDims(type);
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    SmallVector<Value> operands;
    for (Value operand : pointwiseOperands(op))
      operands.push_back(drop(emit, operand, removed));
    Value small = rebuildPointwise(rewriter, op, operands);
    rewriter.replaceOp(op, emit.reshape(small, type, sizes));
    return success();
  }
};

/// Base of the patterns below: rebuilds an operation without some dimensions of
/// its operand.
template <typename Op> struct DropPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  /// The dimensions of the first operand to remove.
  virtual SmallVector<bool> removedDims(Op op) const {
    return unitDims(cast<RankedTensorType>(op->getOperand(0).getType()));
  }
  /// The operation without them, or null.
  virtual Value rebuild(Op op, PrimBuilder &emit, Value operand,
                        ArrayRef<bool> removed) const = 0;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    SmallVector<bool> removed = removedDims(op);
    if (!llvm::is_contained(removed, true))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    Value operand = drop(emit, op->getOperand(0), removed);
    Value result = rebuild(op, emit, operand, removed);
    rewriter.replaceOp(op, emit.reshape(result, op.getType(), sizes));
    return success();
  }
};

/// Reductions: reducing one element gives the element.
template <typename Op> struct DropReduction : DropPattern<Op> {
  using DropPattern<Op>::DropPattern;
  Value rebuild(Op op, PrimBuilder &emit, Value operand,
                ArrayRef<bool> removed) const override {
    SmallVector<int64_t> dims = renumber(op.getDims(), removed);
    return dims.empty() ? operand : emit.reduce<Op>(operand, dims);
  }
};

/// argmax keeps the dimension it looks at.
struct DropArgmax : DropPattern<ArgmaxOp> {
  using DropPattern::DropPattern;
  SmallVector<bool> removedDims(ArgmaxOp op) const override {
    SmallVector<bool> removed = unitDims(op.getOperand().getType());
    removed[op.getDim()] = false;
    return removed;
  }
  Value rebuild(ArgmaxOp op, PrimBuilder &emit, Value operand,
                ArrayRef<bool> removed) const override {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t dim = renumber(op.getDim(), removed);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    return ArgmaxOp::create(
        emit.builder, op.getLoc(),
        RankedTensorType::get(shape, op.getType().getElementType()), operand,
        dim, op.getIgnoreNan());
  }
};

/// softmax keeps the dimension it normalises.
struct DropSoftmax : DropPattern<SoftmaxOp> {
  using DropPattern::DropPattern;
  SmallVector<bool> removedDims(SoftmaxOp op) const override {
    SmallVector<bool> removed = unitDims(op.getType());
    removed[op.getDim()] = false;
    return removed;
  }
  Value rebuild(SoftmaxOp op, PrimBuilder &emit, Value operand,
                ArrayRef<bool> removed) const override {
    return SoftmaxOp::create(emit.builder, op.getLoc(), operand.getType(),
                             operand, renumber(op.getDim(), removed));
  }
};

/// Norms keep the dimensions of their parameters.
template <typename Op> struct DropNorm : DropPattern<Op> {
  using DropPattern<Op>::DropPattern;
  SmallVector<bool> removedDims(Op op) const override {
    SmallVector<bool> removed = unitDims(op.getType());
    for (int64_t i = 0, e = op.getAxes(); i < e; ++i)
      removed[removed.size() - 1 - i] = false;
    return removed;
  }
  Value rebuild(Op op, PrimBuilder &emit, Value operand,
                ArrayRef<bool> removed) const override {
    IRMapping mapping;
    mapping.map(op.getOperand(), operand);
    Operation *clone = emit.builder.clone(*op, mapping);
    clone->getResult(0).setType(operand.getType());
    return clone->getResult(0);
  }
};

/// Transposes.
struct DropTranspose : DropPattern<TransposeOp> {
  using DropPattern::DropPattern;
  Value rebuild(TransposeOp op, PrimBuilder &emit, Value operand,
                ArrayRef<bool> removed) const override {
    return emit.transpose(operand, renumber(op.getPermutation(), removed));
  }
};

/// Slices of dimensions that have one element before and after.
struct DropSlice : DropPattern<SliceOp> {
  using DropPattern::DropPattern;
  SmallVector<bool> removedDims(SliceOp op) const override {
    SmallVector<bool> removed = unitDims(op.getOperand().getType());
    for (auto [gone, size] : llvm::zip_equal(removed, op.getType().getShape()))
      gone &= size == 1;
    return removed;
  }
  Value rebuild(SliceOp op, PrimBuilder &emit, Value operand,
                ArrayRef<bool> removed) const override {
    return SliceOp::create(
        emit.builder, op.getLoc(), drop(op.getType(), removed), operand,
        kept(op.getStarts(), removed), kept(op.getLimits(), removed),
        kept(op.getStrides(), removed));
  }
};

/// Pads that leave dimensions of one element alone.
struct DropPad : DropPattern<PadOp> {
  using DropPattern::DropPattern;
  SmallVector<bool> removedDims(PadOp op) const override {
    SmallVector<bool> removed = unitDims(op.getOperand().getType());
    for (auto [i, gone] : llvm::enumerate(removed))
      gone &= op.getLow()[i] == 0 && op.getHigh()[i] == 0;
    return removed;
  }
  Value rebuild(PadOp op, PrimBuilder &emit, Value operand,
                ArrayRef<bool> removed) const override {
    return PadOp::create(emit.builder, op.getLoc(), drop(op.getType(), removed),
                         operand, kept(op.getLow(), removed),
                         kept(op.getHigh(), removed), op.getValue());
  }
};

/// Reversals.
struct DropRev : DropPattern<RevOp> {
  using DropPattern::DropPattern;
  Value rebuild(RevOp op, PrimBuilder &emit, Value operand,
                ArrayRef<bool> removed) const override {
    return RevOp::create(emit.builder, op.getLoc(), operand.getType(), operand,
                         renumber(op.getDims(), removed));
  }
};

/// Concatenations along another dimension.
struct DropCat : OpRewritePattern<CatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<bool> removed = unitDims(op.getType());
    removed[op.getDim()] = false;
    for (Value operand : op.getOperands())
      for (auto [gone, size] : llvm::zip_equal(
               removed, cast<RankedTensorType>(operand.getType()).getShape()))
        gone &= size == 1;
    if (!llvm::is_contained(removed, true))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(drop(emit, operand, removed));
    Value result =
        CatOp::create(rewriter, op.getLoc(), drop(op.getType(), removed),
                      operands, renumber(op.getDim(), removed));
    rewriter.replaceOp(op, emit.reshape(result, op.getType(), sizes));
    return success();
  }
};

/// Repeating along a dimension of size 1 needs no such dimension.
struct DropBroadcastOperand : OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<bool> removed = unitDims(op.getOperand().getType());
    if (!llvm::is_contained(removed, true))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    Value operand = drop(emit, op.getOperand(), removed);
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op.getType(), operand, op.getSizes(), kept(op.getDims(), removed));
    return success();
  }
};

/// Indices without dimensions of size 1.
struct DropGatherIndices : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    int64_t batch = op.getBatchDims(), dim = op.getDim();
    SmallVector<bool> removed = unitDims(op.getIndices().getType());
    for (int64_t i = 0; i < batch; ++i)
      removed[i] = false;
    if (!llvm::is_contained(removed, true))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    Value indices = drop(emit, op.getIndices(), removed);
    // The dimensions of the indices stand at `dim` in the result.
    SmallVector<bool> gone(op.getType().getRank(), false);
    for (int64_t i = batch, e = removed.size(); i < e; ++i)
      gone[dim + i - batch] = removed[i];
    Value result =
        GatherOp::create(rewriter, op.getLoc(), drop(op.getType(), gone),
                         op.getOperand(), indices, dim, batch);
    rewriter.replaceOp(op, emit.reshape(result, op.getType(), sizes));
    return success();
  }
};

} // namespace

void kiln::prim::populateUnitDimPatterns(RewritePatternSet &patterns) {
  patterns.add<DropElementwise, DropReduction<SumOp>, DropReduction<ProdOp>,
               DropReduction<AmaxOp>, DropReduction<AminOp>, DropArgmax,
               DropSoftmax, DropNorm<RmsNormOp>, DropNorm<LayerNormOp>,
               DropTranspose, DropSlice, DropPad, DropRev, DropCat,
               DropBroadcastOperand, DropGatherIndices>(patterns.getContext());
}
