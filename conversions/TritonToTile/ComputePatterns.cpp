// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, products, reductions and scans, output.
#include "Patterns.h"

#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

struct ConvertFpToFp : OpConversionPattern<tt::FpToFpOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::FpToFpOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getSrc().getType());
    Type to = getElementTypeOrSelf(op.getType());
    bool narrows = to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth();
    if (to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth()) {
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(),
                                                 adaptor.getSrc());
      return success();
    }
    tile::Rounding rounding = op.getRounding() == tt::RoundingMode::rtz
                                  ? tile::Rounding::toward_zero
                                  : tile::Rounding::nearest_even;
    if (narrows && rounding == tile::Rounding::nearest_even &&
        to.getIntOrFloatBitWidth() >= 16) {
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                   adaptor.getSrc());
      return success();
    }
    // Conversions to 8-bit types saturate, as the hardware's do.
    bool saturate = to.getIntOrFloatBitWidth() == 8;
    rewriter.replaceOpWithNewOp<tile::ConvertFloatOp>(
        op, op.getType(), adaptor.getSrc(), rounding, saturate);
    return success();
  }
};

struct ConvertClampF : OpConversionPattern<tt::ClampFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ClampFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    if (op.getPropagateNan() == tt::PropagateNan::all) {
      x = arith::MaximumFOp::create(rewriter, loc, x, adaptor.getMin());
      rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, x, adaptor.getMax());
      return success();
    }
    x = arith::MaxNumFOp::create(rewriter, loc, x, adaptor.getMin());
    rewriter.replaceOpWithNewOp<arith::MinNumFOp>(op, x, adaptor.getMax());
    return success();
  }
};

struct ConvertMulhi : OpConversionPattern<tt::MulhiUIOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MulhiUIOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto product = arith::MulUIExtendedOp::create(
        rewriter, op.getLoc(), adaptor.getX(), adaptor.getY());
    rewriter.replaceOp(op, product.getHigh());
    return success();
  }
};

tile::InputPrecision convertPrecision(tt::InputPrecision precision) {
  switch (precision) {
  case tt::InputPrecision::tf32:
    return tile::InputPrecision::tf32;
  case tt::InputPrecision::tf32x3:
    return tile::InputPrecision::tf32x3;
  case tt::InputPrecision::ieee:
    return tile::InputPrecision::ieee;
  case tt::InputPrecision::bf16x3:
    return tile::InputPrecision::bf16x3;
  case tt::InputPrecision::bf16x6:
    return tile::InputPrecision::bf16x6;
  }
  return tile::InputPrecision::ieee;
}

struct ConvertDot : OpConversionPattern<tt::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getA().getType());
    tile::InputPrecision precision =
        element.isF32() ? convertPrecision(op.getInputPrecision())
                        : tile::InputPrecision::ieee;
    // Triton states a number for all factors and means it for 8-bit floats.
    bool isFloat8 =
        isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
    rewriter.replaceOpWithNewOp<tile::DotOp>(
        op, op.getType(), adaptor.getA(), adaptor.getB(), adaptor.getC(),
        precision, /*lhs_unsigned=*/false, /*rhs_unsigned=*/false,
        isFloat8 ? int64_t(op.getMaxNumImpreciseAcc()) : 0);
    return success();
  }
};

/// Moves the region and ends it with `tile.yield`.
void moveRegion(Region &from, Region &to, ConversionPatternRewriter &rewriter) {
  rewriter.inlineRegionBefore(from, to, to.end());
  Operation *terminator = to.front().getTerminator();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(terminator);
  rewriter.replaceOpWithNewOp<tile::YieldOp>(terminator,
                                             terminator->getOperands());
}

struct ConvertReduce : OpConversionPattern<tt::ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // tile reduces a vector to a tile of rank 0, tt to a scalar.
    SmallVector<Type> types;
    for (Value source : adaptor.getSrcs()) {
      auto type = cast<RankedTensorType>(source.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape.erase(shape.begin() + op.getAxis());
      types.push_back(RankedTensorType::get(shape, type.getElementType()));
    }
    auto reduce = tile::ReduceOp::create(
        rewriter, op.getLoc(), types, adaptor.getSrcs(),
        static_cast<int64_t>(op.getAxis()), /*ordered=*/false);
    moveRegion(op.getCombineOp(), reduce.getCombiner(), rewriter);
    SmallVector<Value> results;
    for (auto [result, old] : llvm::zip(reduce.getResults(), op.getResult())) {
      if (isa<RankedTensorType>(old.getType()))
        results.push_back(result);
      else
        results.push_back(tensor::ExtractOp::create(rewriter, op.getLoc(),
                                                    result, ValueRange()));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct ConvertScan : OpConversionPattern<tt::ScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ScanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto scan = tile::ScanOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), adaptor.getSrcs(),
        static_cast<int64_t>(op.getAxis()), op.getReverse());
    moveRegion(op.getCombineOp(), scan.getCombiner(), rewriter);
    rewriter.replaceOp(op, scan.getResults());
    return success();
  }
};

struct ConvertAssert : OpConversionPattern<tt::AssertOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tile::AssertOp>(op, adaptor.getCondition(),
                                                op.getMessage());
    return success();
  }
};

struct ConvertPrint : OpConversionPattern<tt::PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::PrintOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<bool> isUnsigned;
    for (int32_t isSigned : op.getIsSigned())
      isUnsigned.push_back(!isSigned);
    rewriter.replaceOpWithNewOp<tile::PrintOp>(
        op, op.getPrefix(), op.getHex(), adaptor.getArgs(),
        isUnsigned.empty() ? DenseBoolArrayAttr()
                           : rewriter.getDenseBoolArrayAttr(isUnsigned),
        /*printed_types=*/nullptr);
    return success();
  }
};

} // namespace

void populateComputePatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<
      ConvertFpToFp, ConvertClampF, Rename<tt::PreciseSqrtOp, math::SqrtOp>,
      Rename<tt::PreciseDivFOp, arith::DivFOp>, ConvertMulhi, ConvertDot,
      ConvertReduce, ConvertScan, ConvertAssert, ConvertPrint>(
      converter, patterns.getContext());
}

} // namespace kiln::triton_to_tile
