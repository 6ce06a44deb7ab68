// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scatter that sets one element, or one slice, of each row of a constant is
// computed where it is used: the rows whose number is the index.
#include "../PrimBuilder.h"
#include "Simplify.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Whether a value has one element everywhere.
bool isSplat(Value value) {
  DenseElementsAttr elements;
  auto creation = value.getDefiningOp<CreationOpInterface>();
  return (creation && creation.getSplatValue()) ||
         (matchPattern(value, m_Constant(&elements)) && elements.isSplat());
}

struct ScatterOfOneSlice : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    auto updates = cast<RankedTensorType>(op.getUpdates().getType());
    int64_t batch = op.getBatchDims(), places = indices.getRank() - 1;
    if (op.getCombine() != ScatterKind::set || op.getDims().size() != 1 ||
        !isSplat(op.getOperand()) || !type.hasStaticShape() ||
        !indices.hasStaticShape() || !updates.hasStaticShape() ||
        llvm::any_of(indices.getShape().slice(batch, places - batch),
                     [](int64_t size) { return size != 1; }))
      return failure();
    int64_t dim = op.getDims()[0];
    // Of what the operand has, all but one slice.
    SmallVector<int64_t> slice(type.getShape());
    slice[dim] = 1;
    SmallVector<int64_t> window(type.getShape().take_front(batch));
    llvm::append_range(window, updates.getShape().drop_front(places));
    if (window != slice)
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    auto sizesOf = [&](ArrayRef<int64_t> shape) {
      return llvm::map_to_vector(shape, [&](int64_t size) -> OpFoldResult {
        return rewriter.getIndexAttr(size);
      });
    };
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    auto numbersType = type.clone(indices.getElementType());
    Value numbers =
        IotaOp::create(rewriter, op.getLoc(), numbersType, ValueRange(),
                       rewriter.getI64IntegerAttr(dim));
    Value index = emit.broadcastTo(
        emit.reshape(op.getIndices(),
                     sizesOf(type.getShape().take_front(batch))),
        numbers, ArrayRef<int64_t>(all).take_front(batch));
    Value update = emit.broadcastTo(
        emit.reshape(op.getUpdates(), sizesOf(slice)), op.getOperand(), all);
    Value isThere =
        EqOp::create(rewriter, op.getLoc(), type.clone(rewriter.getI1Type()),
                     numbers, index);
    rewriter.replaceOpWithNewOp<WhereOp>(op, type, isThere, update,
                                         op.getOperand());
    return success();
  }
};

} // namespace

void kiln::prim::populateOneHotPatterns(RewritePatternSet &patterns) {
  patterns.add<ScatterOfOneSlice>(patterns.getContext());
}
