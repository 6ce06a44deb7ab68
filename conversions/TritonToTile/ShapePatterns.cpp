// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that make tiles or rearrange them.
#include "Patterns.h"

#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

struct ConvertExpandDims : OpConversionPattern<tt::ExpandDimsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ExpandDimsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tile::ExpandDimsOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getSrc(),
        static_cast<int64_t>(op.getAxis()));
    return success();
  }
};

struct ConvertTrans : OpConversionPattern<tt::TransOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::TransOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> permutation(op.getOrder());
    rewriter.replaceOpWithNewOp<tile::TransposeOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getSrc(),
        permutation);
    return success();
  }
};

struct ConvertCat : OpConversionPattern<tt::CatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::CatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tile::CatOp>(
        op, getTypeConverter()->convertType(op.getType()),
        ValueRange{adaptor.getLhs(), adaptor.getRhs()}, 0);
    return success();
  }
};

struct ConvertMakeRange : OpConversionPattern<tt::MakeRangeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MakeRangeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    int32_t start = op.getStart();
    if (type.getRank() != 1 || !type.getElementType().isInteger(32) ||
        static_cast<int64_t>(static_cast<int32_t>(op.getEnd())) - start !=
            type.getDimSize(0))
      return op.emitOpError(
          "expected a range of i32 with end - start elements");
    Value range = tile::IotaOp::create(rewriter, op.getLoc(), type, 0);
    if (start != 0) {
      Value offset = arith::ConstantOp::create(
          rewriter, op.getLoc(),
          DenseElementsAttr::get(type, rewriter.getI32IntegerAttr(start)));
      range = arith::AddIOp::create(rewriter, op.getLoc(), range, offset);
    }
    rewriter.replaceOp(op, range);
    return success();
  }
};

struct ConvertUnsplat : OpConversionPattern<tt::UnsplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::UnsplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(adaptor.getSrc().getType());
    if (type.getNumElements() != 1)
      return op.emitOpError("expected a tensor with one element, found ")
             << type;
    Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
    SmallVector<Value> indices(type.getRank(), zero);
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, adaptor.getSrc(),
                                                   indices);
    return success();
  }
};

struct ConvertGather : OpConversionPattern<tt::GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tile::GatherOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getSrc(),
        adaptor.getIndices(), static_cast<int64_t>(op.getAxis()));
    return success();
  }
};

struct ConvertHistogram : OpConversionPattern<tt::HistogramOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::HistogramOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tile::HistogramOp>(
        op, op.getType(), adaptor.getSrc(), adaptor.getMask());
    return success();
  }
};

} // namespace

void populateShapePatterns(const TypeConverter &converter,
                           RewritePatternSet &patterns) {
  patterns.add<Rename<tt::SplatOp, tile::SplatOp>,
               Rename<tt::BroadcastOp, tile::BroadcastOp>,
               Rename<tt::ReshapeOp, tile::ReshapeOp>, ConvertExpandDims,
               ConvertTrans, Rename<tt::JoinOp, tile::JoinOp>,
               Rename<tt::SplitOp, tile::SplitOp>, ConvertCat, ConvertMakeRange,
               ConvertUnsplat, ConvertGather, ConvertHistogram>(
      converter, patterns.getContext());
}

} // namespace kiln::triton_to_tile
