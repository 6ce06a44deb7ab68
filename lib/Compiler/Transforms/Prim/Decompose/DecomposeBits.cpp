// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands bitcast_convert into shifts.
#include "../PrimBuilder.h"
#include "Decompose.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// By the integers of both widths: the parts of a wide one are shifted down and
/// cut off, the parts of a narrow one shifted up and added.
struct DecomposeBitcastConvert : OpRewritePattern<BitcastConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BitcastConvertOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    RankedTensorType to = op.getType();
    Type target = integer(rewriter, to),
         source = integer(rewriter, op.getOperand().getType());
    Value x = bitcast(emit, op.getOperand(), source);
    if (target.getIntOrFloatBitWidth() < source.getIntOrFloatBitWidth())
      x = split(emit, x, target, to.getShape().back());
    else if (target != source)
      x = join(emit, x, target);
    rewriter.replaceOp(op, bitcast(emit, x, to.getElementType()));
    return success();
  }

private:
  static Type integer(OpBuilder &builder, RankedTensorType type) {
    return builder.getIntegerType(type.getElementTypeBitWidth());
  }

  static Value bitcast(PrimBuilder &emit, Value x, Type element) {
    if (typeOf(x).getElementType() == element)
      return x;
    return BitcastOp::create(emit.builder, emit.loc, typeOf(x).clone(element),
                             x);
  }

  /// 0, w, 2w ... along the last dimension, in the type of `like`.
  static Value shifts(PrimBuilder &emit, Value like, unsigned width) {
    RankedTensorType type = typeOf(like);
    Value place = IotaOp::create(
        emit.builder, emit.loc, type,
        dynamicSizes(emit.builder, emit.loc, type, emit.sizes(like)),
        type.getRank() - 1);
    return emit.map<MulOp>(place, width);
  }

  static Value split(PrimBuilder &emit, Value x, Type narrow, int64_t parts) {
    SmallVector<OpFoldResult> sizes = emit.sizes(x);
    SmallVector<int64_t> shape(typeOf(x).getShape());
    shape.push_back(parts);
    auto type = RankedTensorType::get(shape, typeOf(x).getElementType());
    sizes.push_back(emit.builder.getIndexAttr(parts));
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, shape.size() - 1));
    Value all = BroadcastInDimOp::create(
        emit.builder, emit.loc, type, x,
        dynamicSizes(emit.builder, emit.loc, type, sizes), dims);
    Value down = emit.map<ShiftRightLogicalOp>(
        all, shifts(emit, all, narrow.getIntOrFloatBitWidth()));
    return emit.convert(down, narrow);
  }

  static Value join(PrimBuilder &emit, Value x, Type wide) {
    unsigned width = typeOf(x).getElementTypeBitWidth();
    Value zeros = ConvertElementTypeOp::create(
        emit.builder, emit.loc, typeOf(x).clone(wide), x, /*round=*/false,
        /*from_unsigned=*/true, /*to_unsigned=*/false);
    Value up = emit.map<ShiftLeftOp>(zeros, shifts(emit, zeros, width));
    return emit.reduce<SumOp>(up, typeOf(x).getRank() - 1);
  }
};

} // namespace

void kiln::prim::populateDecomposeBits(RewritePatternSet &patterns,
                                       WantedFn wanted) {
  addWanted<DecomposeBitcastConvert, BitcastConvertOp>(patterns, wanted);
}
