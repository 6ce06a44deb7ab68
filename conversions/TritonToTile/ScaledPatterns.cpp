// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of block-scaled operands.
#include "Patterns.h"

#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

tile::ScaledFormat convertFormat(tt::ScaleDotElemType type) {
  switch (type) {
  case tt::ScaleDotElemType::e2m1:
    return tile::ScaledFormat::e2m1;
  case tt::ScaleDotElemType::e2m3:
    return tile::ScaledFormat::e2m3;
  case tt::ScaleDotElemType::e3m2:
    return tile::ScaledFormat::e3m2;
  case tt::ScaleDotElemType::e4m3:
    return tile::ScaledFormat::e4m3;
  case tt::ScaleDotElemType::e5m2:
    return tile::ScaledFormat::e5m2;
  case tt::ScaleDotElemType::bf16:
    return tile::ScaledFormat::bf16;
  case tt::ScaleDotElemType::fp16:
    return tile::ScaledFormat::fp16;
  }
  return tile::ScaledFormat::bf16;
}

struct ConvertDotScaled : OpConversionPattern<tt::DotScaledOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DotScaledOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (!type.getElementType().isF32())
      return op.emitOpError("unsupported: a sum of type ") << type;
    for (Value scale : {adaptor.getAScale(), adaptor.getBScale()})
      if (scale && !isScale(scale.getType()))
        return op.emitOpError("unsupported: scales of type ")
               << scale.getType();
    // Only elements of 4 bits are packed along any dimension.
    auto packsK = [](tt::ScaleDotElemType type, bool stated) {
      return stated || type != tt::ScaleDotElemType::e2m1;
    };
    rewriter.replaceOpWithNewOp<tile::DotScaledOp>(
        op, type, adaptor.getA(), adaptor.getB(), adaptor.getC(),
        adaptor.getAScale(), adaptor.getBScale(),
        convertFormat(op.getAElemType()), convertFormat(op.getBElemType()),
        packsK(op.getAElemType(), op.getLhsKPack()),
        packsK(op.getBElemType(), op.getRhsKPack()), op.getFastMath());
    return success();
  }

private:
  static bool isScale(Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isSignlessInteger(8) ||
           isa<Float8E8M0FNUType, Float8E4M3FNType>(element);
  }
};

} // namespace

void populateScaledPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<ConvertDotScaled>(converter, patterns.getContext());
}

} // namespace kiln::triton_to_tile
