// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block pointers, as views.
#include "Blocks.h"
#include "Hints.h"
#include "Patterns.h"

#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

/// `true` for the dimensions that an access checks.
auto checkedBy(ArrayRef<int32_t> dimensions) {
  return [dimensions](int64_t d) {
    return llvm::is_contained(dimensions, static_cast<int32_t>(d));
  };
}

LogicalResult checkDimensions(Operation *op, ArrayRef<int32_t> dimensions,
                              int64_t rank) {
  for (int32_t d : dimensions)
    if (d < 0 || d >= rank)
      return op->emitOpError("expected checks of dimensions below ")
             << rank << ", found " << d;
  return success();
}

struct ConvertMakeTensorPtr : OpConversionPattern<tt::MakeTensorPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MakeTensorPtrOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values = {adaptor.getBase()};
    llvm::append_range(values,
                       toIndices(rewriter, op.getLoc(), adaptor.getShape()));
    llvm::append_range(values,
                       toIndices(rewriter, op.getLoc(), adaptor.getStrides()));
    llvm::append_range(values,
                       toIndices(rewriter, op.getLoc(), adaptor.getOffsets()));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct ConvertAdvance : OpConversionPattern<tt::AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AdvanceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values(adaptor.getPtr());
    size_t rank = op.getOffsets().size();
    if (values.size() != 1 + 3 * rank)
      return op.emitOpError("expected an offset for each dimension");
    for (auto [index, offset] : llvm::enumerate(adaptor.getOffsets())) {
      Value &old = values[1 + 2 * rank + index];
      old =
          arith::AddIOp::create(rewriter, op.getLoc(), old,
                                toIndex(rewriter, op.getLoc(), offset.front()));
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// A choice between two block pointers or descriptors, part by part.
struct ConvertBlockSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> chosen;
    for (auto [yes, no] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      chosen.push_back(arith::SelectOp::create(
          rewriter, op.getLoc(), adaptor.getCondition().front(), yes, no));
    rewriter.replaceOpWithMultiple(op, {chosen});
    return success();
  }
};

struct ConvertBlockLoad : OpConversionPattern<tt::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getPtr().size() == 1)
      return failure();
    if (op.getMask() || op.getOther())
      return op.emitOpError("unsupported: a mask on a block pointer");
    auto type = cast<RankedTensorType>(op.getType());
    if (failed(checkDimensions(op, op.getBoundaryCheck(), type.getRank())))
      return failure();
    Block block(adaptor.getPtr(), type.getRank(), /*hasOffsets=*/true);
    Value view = makeView(rewriter, op.getLoc(), block,
                          checkedBy(op.getBoundaryCheck()));
    bool nan = op.getPadding() == tt::PaddingOption::pad_nan;
    rewriter.replaceOpWithNewOp<tile::LoadOp>(
        op, type, view, block.offsets, /*pad=*/Value(),
        /*element_offsets=*/true,
        nan ? tile::Padding::nan : tile::Padding::zero,
        /*step=*/DenseI64ArrayAttr(), op.getIsVolatile(),
        convertCache(op.getCache()), convertEvict(op.getEvict()));
    return success();
  }
};

struct ConvertBlockStore : OpConversionPattern<tt::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getPtr().size() == 1)
      return failure();
    if (op.getMask())
      return op.emitOpError("unsupported: a mask on a block pointer");
    auto type = cast<RankedTensorType>(op.getValue().getType());
    if (failed(checkDimensions(op, op.getBoundaryCheck(), type.getRank())))
      return failure();
    Block block(adaptor.getPtr(), type.getRank(), /*hasOffsets=*/true);
    Value view = makeView(rewriter, op.getLoc(), block,
                          checkedBy(op.getBoundaryCheck()));
    rewriter.replaceOpWithNewOp<tile::StoreOp>(
        op, adaptor.getValue().front(), view, block.offsets,
        /*element_offsets=*/true, tile::Combine::assign,
        /*step=*/DenseI64ArrayAttr(), /*is_volatile=*/false,
        convertCache(op.getCache()), convertEvict(op.getEvict()));
    return success();
  }
};

} // namespace

void populateBlockPatterns(const TypeConverter &converter,
                           RewritePatternSet &patterns) {
  patterns.add<ConvertMakeTensorPtr, ConvertAdvance, ConvertBlockSelect,
               ConvertBlockLoad, ConvertBlockStore>(converter,
                                                    patterns.getContext());
}

} // namespace kiln::triton_to_tile
