// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatters of repeated elements: a scatter that counts rows, say, has the same
// number in each column. It counts once, and the count is repeated.
#include "../PrimBuilder.h"
#include "Simplify.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Whether all elements of a value along a dimension are alike.
bool isRepeated(Value value, int64_t dim) {
  Operation *source = value.getDefiningOp();
  if (!source)
    return false;
  if (auto creation = dyn_cast<CreationOpInterface>(source))
    return static_cast<bool>(creation.getSplatValue());
  auto broadcast = dyn_cast<kiln::RepeatOpInterface>(source);
  if (!broadcast)
    return false;
  SmallVector<int64_t> dims = broadcast.getKeptDims();
  const int64_t *found = llvm::find(dims, dim);
  return found == dims.end() ||
         cast<RankedTensorType>(broadcast.getMoved().getType())
                 .getDimSize(found - dims.begin()) == 1;
}

/// The first element of a value along each of some dimensions, along which its
/// elements are alike.
Value firstAlong(Value value, RankedTensorType type, OpBuilder &builder) {
  Operation *source = value.getDefiningOp();
  Location loc = source->getLoc();
  if (auto creation = dyn_cast<CreationOpInterface>(source)) {
    TypedAttr each = creation.getSplatValue();
    if (source->hasTrait<OpTrait::ConstantLike>())
      return ConstantOp::create(builder, loc, type,
                                SplatElementsAttr::get(type, each));
    return FullOp::create(builder, loc, type, ValueRange(), each);
  }
  auto broadcast = cast<kiln::RepeatOpInterface>(source);
  return BroadcastInDimOp::create(builder, loc, type, broadcast.getMoved(),
                                  ValueRange(), broadcast.getKeptDims());
}

/// scatter(broadcast(x), i, broadcast(u)) is broadcast(scatter(x, i, u)), along
/// dimensions of which each window has all elements.
struct ScatterOnce : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType()),
         updates = cast<RankedTensorType>(op.getUpdates().getType());
    if (!type.hasStaticShape() || !updates.hasStaticShape())
      return failure();
    SmallVector<int64_t> shape(type.getShape()), window(updates.getShape());
    int64_t batch = op.getBatchDims(),
            places = updates.getRank() - type.getRank() + batch;
    bool changed = false;
    for (int64_t d = batch; d < type.getRank(); ++d) {
      int64_t w = places + d - batch;
      if (shape[d] < 2 || window[w] != shape[d] ||
          llvm::is_contained(op.getDims(), d) ||
          !isRepeated(op.getOperand(), d) || !isRepeated(op.getUpdates(), w))
        continue;
      shape[d] = window[w] = 1;
      changed = true;
    }
    if (!changed)
      return failure();
    Value once = ScatterOp::create(
        rewriter, op.getLoc(), op.getCombine(),
        firstAlong(op.getOperand(), type.clone(shape), rewriter),
        op.getIndices(),
        firstAlong(op.getUpdates(), updates.clone(window), rewriter),
        op.getDims(), op.getBatchDims(), op.getUnique());
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, type, once, ValueRange(),
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
    return success();
  }
};

} // namespace

void kiln::prim::populateRepeatedScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<ScatterOnce>(patterns.getContext());
}
